import Encodings
public import Identity
import WebAuthn

/// A cache under test, with the limits that it was made with; the promises fill it up.
public struct LimitedChallengeCache: Sendable {
    public let cache: any ChallengeCache
    /// Ceremonies in all.
    public let total: Int
    /// Of one client; at most half of `total`.
    public let perClient: Int
    /// From one address; less than `perClient`.
    public let perAddress: Int

    public init(_ cache: any ChallengeCache, total: Int, perClient: Int, perAddress: Int) {
        self.cache = cache
        self.total = total
        self.perClient = perClient
        self.perAddress = perAddress
    }
}

/// What every challenge cache promises. Each promise wants a fresh cache.
public enum ChallengeCacheContract {
    /// Every promise.
    public static let promises: [Promise<LimitedChallengeCache>] = taking + limits

    /// What caches promise beside it that hold everything in memory: a large ceremony takes the room of several.
    public static let weighing: [Promise<LimitedChallengeCache>] = [
        Promise("A large ceremony counts for several, from its beginning until it is taken") { subject in
            let large = Ticket(purpose: large(bytes: 4 * PendingCeremony.usualSize))
            let weight = large.pending.weight
            try require(weight >= 4, "its weight")
            try await large.put(in: subject.cache)
            let small = (0..<subject.perAddress - weight - 2).map { _ in Ticket() }
            for ticket in small { try await ticket.put(in: subject.cache) }
            let another = Ticket(purpose: large.pending.purpose)
            try requireEqual(try await refusal(another, subject), .overQuota, "another large one")
            try requireEqual(try await large.take(from: subject.cache), large.pending, "the large one")
            try requireEqual(try await refusal(another, subject), nil, "another large one when there is room")
        }
    ]

    private static func large(bytes: Int) -> PendingCeremony.Purpose {
        var profile = UserProfile(name: "Ana")
        profile.userMetadata = ["text": .string(String(repeating: "x", count: bytes))]
        return .signup(
            IssuedRegistration(challenge: randomBytes(32), rpID: "a.example", origins: [], algorithms: []),
            NewAccount(identifiers: [], profile: profile, userHandle: randomBytes(32)),
            .token
        )
    }

    private static let taking = [
        Promise<LimitedChallengeCache>("A ceremony is taken once, as it was put") { subject in
            for purpose in purposes {
                let ticket = Ticket(purpose: purpose)
                try await ticket.put(in: subject.cache)
                try requireEqual(try await ticket.take(from: subject.cache), ticket.pending, "what is taken")
                try requireEqual(try await ticket.take(from: subject.cache), nil, "what is taken after that")
            }
        },
        Promise("Of a thousand that take one ceremony at once, one gets it") { subject in
            let ticket = Ticket()
            try await ticket.put(in: subject.cache)
            let taken = try await race(1000) { _ in try await ticket.take(from: subject.cache) }
            try requireEqual(taken.compactMap { $0 }, [ticket.pending], "what was taken")
        },
        Promise("Another tenant, client or session takes nothing, and leaves what is there") { subject in
            let ticket = Ticket()
            try await ticket.put(in: subject.cache)
            let key = ticket.key
            let others = [
                ChallengeKey(tenant: TenantID(number: 2), client: key.client, sessionHash: key.sessionHash),
                ChallengeKey(tenant: key.tenant, client: ClientID("other"), sessionHash: key.sessionHash),
                ChallengeKey(tenant: key.tenant, client: key.client, sessionHash: randomBytes(32)),
                ChallengeKey(tenant: key.tenant, client: key.client, sessionHash: []),
            ]
            for other in others {
                try requireEqual(try await subject.cache.take(other, now: Scene.start), nil, "what another takes")
            }
            try requireEqual(try await ticket.take(from: subject.cache), ticket.pending, "what its owner takes")
        },
        Promise("A ceremony can be taken before its end and not at it") { subject in
            let (early, late) = (Ticket(), Ticket())
            try await early.put(in: subject.cache, seconds: 60)
            try await late.put(in: subject.cache, seconds: 60)
            let end = Scene.start.adding(seconds: 60)
            try requireEqual(
                try await early.take(from: subject.cache, now: end.adding(milliseconds: -1)),
                early.pending,
                "what is taken in time"
            )
            try requireEqual(try await late.take(from: subject.cache, now: end), nil, "what is taken too late")
        },
        Promise("Many that are put and taken at once do not get in each other's way") { subject in
            let count = min(subject.total, subject.perClient, 400)
            let taken = try await race(count) { index in
                let ticket = Ticket(address: "2001:db8::\(index)")
                try await ticket.put(in: subject.cache)
                return try await ticket.take(from: subject.cache) == ticket.pending
            }
            try require(taken.allSatisfy { $0 }, "each takes its own")
        },
        Promise("It answers") { subject in try await subject.cache.check() },
    ]

    private static let limits = [
        Promise<LimitedChallengeCache>("Over its cap the cache is full, and what is live stays in it") { subject in
            let tickets = (0..<subject.total).map { index in
                Ticket(client: "client-\(index % 4)", address: "2001:db8::\(index)")
            }
            for ticket in tickets { try await ticket.put(in: subject.cache, seconds: 60) }
            for _ in 0..<3 {
                try requireEqual(try await refusal(Ticket(client: "new"), subject), .full, "one too many")
            }
            try requireEqual(
                try await tickets[0].take(from: subject.cache),
                tickets[0].pending,
                "the oldest, which is not evicted"
            )
            try requireEqual(try await refusal(Ticket(client: "new"), subject), nil, "one more when there is room")
            for ticket in tickets.dropFirst() {
                try requireEqual(try await ticket.take(from: subject.cache), ticket.pending, "each of the others")
            }
        },
        Promise("What is over makes room") { subject in
            for index in 0..<subject.total {
                try await Ticket(client: "client-\(index % 4)", address: "2001:db8::\(index)")
                    .put(in: subject.cache, seconds: 60)
            }
            let after = Scene.start.adding(seconds: 61)
            for index in 0..<subject.total {
                try await Ticket(client: "client-\(index % 4)", address: "2001:db8::\(index)")
                    .put(in: subject.cache, now: after)
            }
        },
        Promise("One client has its share, and others are served on") { subject in
            let tickets = (0..<subject.perClient).map { Ticket(address: "2001:db8::\($0)") }
            for ticket in tickets { try await ticket.put(in: subject.cache) }
            try requireEqual(try await refusal(Ticket(), subject), .overQuota, "one too many")
            try requireEqual(try await refusal(Ticket(client: "other"), subject), nil, "another client's")
            let elsewhere = Ticket(tenant: TenantID(number: 2))
            try requireEqual(try await refusal(elsewhere, subject), nil, "the same client id in another tenant")
            _ = try await tickets[1].take(from: subject.cache)
            try requireEqual(try await refusal(Ticket(), subject), nil, "one more when there is room")
        },
        Promise("One address has its share, and others are served on") { subject in
            let tickets = (0..<subject.perAddress).map { Ticket(client: "client-\($0 % 2)") }
            for ticket in tickets { try await ticket.put(in: subject.cache) }
            try requireEqual(try await refusal(Ticket(), subject), .overQuota, "one too many")
            try requireEqual(try await refusal(Ticket(address: "2001:db8::2"), subject), nil, "another address's")
            _ = try await tickets[1].take(from: subject.cache)
            try requireEqual(try await refusal(Ticket(), subject), nil, "one more when there is room")
            try requireEqual(try await refusal(Ticket(), subject), .overQuota, "one too many again")
        },
    ]

    private enum Refusal {
        case full, overQuota
    }

    /// How the cache refuses the ticket; `nil` when it takes it.
    @Sendable private static func refusal(
        _ ticket: Ticket,
        _ subject: LimitedChallengeCache
    ) async throws(StoreError) -> Refusal? {
        do throws(StoreError) {
            try await ticket.put(in: subject.cache)
            return nil
        } catch {
            switch error {
            case .full: return .full
            case .overQuota: return .overQuota
            default: throw error
            }
        }
    }

    /// One of each kind of ceremony.
    private static let purposes: [PendingCeremony.Purpose] = [
        .signup(
            IssuedRegistration(
                challenge: randomBytes(32),
                rpID: "a.example",
                origins: ["https://a.example"],
                algorithms: []
            ),
            NewAccount(identifiers: [], profile: UserProfile(name: "Ana"), userHandle: randomBytes(32)),
            .browser
        ),
        .enroll(
            IssuedRegistration(challenge: randomBytes(32), rpID: "a.example", origins: [], algorithms: []),
            user: UserID(now: Scene.start, random: randomBytes(8)),
            userHandle: randomBytes(32),
            session: SessionID(TimeOrderedID(now: Scene.start, random: randomBytes(10))),
            .token
        ),
        .recover(
            IssuedRegistration(challenge: randomBytes(32), rpID: "a.example", origins: [], algorithms: []),
            user: UserID(now: Scene.start, random: randomBytes(8)),
            userHandle: randomBytes(32),
            proof: RecoveryProof(.link, hash: randomBytes(32)),
            .browser
        ),
        .login(
            IssuedAuthentication(challenge: randomBytes(32), rpID: "a.example", origins: ["https://a.example"]),
            .token,
            named: .unknown
        ),
    ]
}
