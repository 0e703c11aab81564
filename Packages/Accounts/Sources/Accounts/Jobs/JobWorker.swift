internal import Encodings
public import Identity

/// Does the jobs that wait, one after the other (HTTP contract 11.17).
///
/// Several servers may run one each: a job goes to one of them. What a server had begun when it died ends as failed a
/// minute later, by whichever server looks next; an import can then be sent again with `upsert`.
public struct JobWorker: Sendable {
    public typealias Store = TenantStore & UserStore & UserAdministrationStore & CredentialStore & JobStore & JobQueue

    private let store: any Store
    private let name: String
    private let random: RandomSource
    private let clock: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - store: where jobs and users are kept.
    ///   - random: gives ids, handles and this worker's name.
    ///   - clock: the time.
    public init(
        store: any Store,
        random: @escaping RandomSource,
        clock: @escaping @Sendable () -> UnixTime
    ) {
        self.store = store
        self.random = random
        self.clock = clock
        name = Hex.encode(random(12))
    }

    /// Seconds without a sign of life after which a job's server counts as gone.
    private static let silence: Int64 = 60
    /// Seconds for which a job and its result are kept.
    public static let life: Int64 = 86_400
    /// Bytes that one user of an import may have.
    static let maximumElement = 1 << 20
    /// Users that are brought in at once: they share the store's commits.
    private static let batch = 64
    /// Errors that are kept; all are counted.
    public static let maximumErrors = 1000
    /// Bytes of one part.
    public static let partSize = 256 << 10
    /// Bytes that an export may have.
    static let maximumResult = 64 << 20

    /// Looks after dead and old jobs, then does the oldest that waits.
    ///
    /// - Returns: whether there was one.
    /// - Throws: what the store is at fault for; the job is then tried no more and ends as abandoned.
    public func runOne() async throws(StoreError) -> Bool {
        let now = clock()
        try await store.failAbandoned(
            silentSince: now.adding(seconds: -Self.silence),
            reason: Self.stopped,
            now: now
        )
        try await store.removeJobs(madeBefore: now.adding(seconds: -Self.life))
        guard let job = try await store.takeJob(worker: name, now: now) else { return false }
        guard let configuration = try await store.configuration(of: job.tenant) else { return true }
        let failure: String?
        switch job.kind {
        case .usersImport: failure = try await importUsers(job, configuration)
        case .usersExport: failure = try await exportUsers(job, configuration)
        }
        _ = try await store.finish(
            job,
            failure == nil ? .completed : .failed,
            reason: failure,
            worker: name,
            now: clock()
        )
        return true
    }

    private static let stopped = "The server that worked on it stopped. Ask again; an import with upsert goes on."
    private static let takenOver = "Another server took it over."

    /// - Returns: why it failed; `nil` when it is done.
    private func importUsers(_ job: Job, _ configuration: TenantConfiguration) async throws(StoreError) -> String? {
        guard let connection = job.connection.flatMap(configuration.connection) else {
            return "The connection does not exist any more."
        }
        let work = UserImport(
            store: store,
            configuration: configuration,
            connection: connection,
            job: job,
            random: random,
            upserts: job.parameters["upsert"]?.bool ?? false,
            bringsPasskeys: job.parameters["passkeys"]?.bool ?? false,
            isDry: job.parameters["dry_run"]?.bool ?? false
        )
        let size = max(1, job.parameters["size"]?.integer ?? 1)
        var reader = JSONArrayReader(elementsUpTo: Self.maximumElement)
        var progress = JobProgress()
        var done: Int64 = 0
        var kept = 0
        var number = 0
        // Of a dry run, which writes nothing that the next could meet.
        var claimed: Set<UserImport.Claim> = []
        while let part = try await store.part(number, of: job.id, tenant: job.tenant) {
            number += 1
            var rest: ArraySlice<[UInt8]>
            do throws(JSONArrayReader.Fault) { rest = try reader.read(part)[...] } catch {
                return Self.sentence(error)
            }
            done += Int64(part.count)
            progress.percent = min(99, done * 100 / size)
            repeat {
                let outcomes = try await bring(Array(rest.prefix(Self.batch)), work, &claimed)
                rest = rest.dropFirst(Self.batch)
                var errors: [JSONObject] = []
                for outcome in outcomes {
                    progress.total += 1
                    switch outcome {
                    case .inserted: progress.inserted += 1
                    case .updated: progress.updated += 1
                    case .failed(let error):
                        progress.failed += 1
                        if kept < Self.maximumErrors {
                            errors.append(error)
                            kept += 1
                        }
                    }
                }
                guard try await store.note(progress, errors: errors, of: job, worker: name, now: clock()) else {
                    return Self.takenOver
                }
                guard !Task.isCancelled else { return Self.stopped }
            } while !rest.isEmpty
        }
        do throws(JSONArrayReader.Fault) { try reader.end() } catch { return Self.sentence(error) }
        return nil
    }

    /// Brings users in, many at once, so that the store writes them together; but one after the other where two claim
    /// the same name, id or passkey, so that the first of the file has it.
    private func bring(
        _ elements: [[UInt8]],
        _ work: UserImport,
        _ claimed: inout Set<UserImport.Claim>
    ) async throws(StoreError) -> [UserImport.Outcome] {
        var outcomes: [UserImport.Outcome?] = Array(repeating: nil, count: elements.count)
        var waiting: [(index: Int, candidate: UserImport.Candidate)] = []
        for (index, element) in elements.enumerated() {
            do throws(UserImport.Failure) {
                waiting.append((index, try work.read(element)))
            } catch { outcomes[index] = .failed(error.entry) }
        }
        while !waiting.isEmpty {
            var claimedNow: Set<UserImport.Claim> = []
            var later: [(index: Int, candidate: UserImport.Candidate)] = []
            var now: [(index: Int, candidate: UserImport.Candidate)] = []
            for one in waiting {
                let claims = one.candidate.claims
                if claimedNow.isDisjoint(with: claims) { now.append(one) } else { later.append(one) }
                claimedNow.formUnion(claims)
            }
            let brought = try await bringAtOnce(now.map(\.candidate), work)
            for (one, outcome) in zip(now, brought) {
                outcomes[one.index] = work.isDry ? repeats(one.candidate, outcome, work, &claimed) : outcome
            }
            waiting = later
        }
        return outcomes.compactMap { $0 }
    }

    /// What a dry run says of a user, the earlier ones of the file minded.
    private func repeats(
        _ candidate: UserImport.Candidate,
        _ outcome: UserImport.Outcome,
        _ work: UserImport,
        _ claimed: inout Set<UserImport.Claim>
    ) -> UserImport.Outcome {
        guard case .inserted = outcome else { return outcome }
        let claims = candidate.claims
        let shared = claimed.intersection(claims)
        guard shared.isEmpty else { return work.repeated(candidate, shared) }
        claimed.formUnion(claims)
        return outcome
    }

    /// - Returns: what became of each, in their order.
    private func bringAtOnce(
        _ candidates: [UserImport.Candidate],
        _ work: UserImport
    ) async throws(StoreError) -> [UserImport.Outcome] {
        let now = clock()
        let results = await withTaskGroup(of: (Int, Result<UserImport.Outcome, StoreError>).self) { group in
            for (index, candidate) in candidates.enumerated() {
                group.addTask {
                    do throws(StoreError) {
                        return (index, .success(try await work.bring(candidate, now: now)))
                    } catch { return (index, .failure(error)) }
                }
            }
            var results: [(Int, Result<UserImport.Outcome, StoreError>)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }
        }
        return try results.map { (result) throws(StoreError) in try result.1.get() }
    }

    private static func sentence(_ fault: JSONArrayReader.Fault) -> String {
        switch fault {
        case .notAnArray: "The file is not a JSON array of objects."
        case .elementTooLong: "A user is longer than \(maximumElement) bytes."
        case .truncated: "The file ends before the array does."
        }
    }

    /// - Returns: why it failed; `nil` when it is done.
    private func exportUsers(_ job: Job, _ configuration: TenantConfiguration) async throws(StoreError) -> String? {
        let export = UserExport(job.parameters, configuration)
        let limit = job.parameters["limit"]?.integer ?? .max
        var part = export.head
        var (number, size) = (0, part.count)
        var progress = JobProgress()
        var cursor: UserID?
        while progress.total < limit {
            let users = try await store.users(of: job.tenant, before: cursor, limit: 500)
            for user in users where job.connection.map({ $0 == user.connection }) ?? true {
                guard progress.total < limit else { break }
                let passkeys =
                    export.hasPasskeys
                    ? try await store.passkeys(of: user.id, relyingPartyID: nil, tenant: job.tenant) : []
                let line = export.line(user, passkeys: passkeys)
                part += line
                size += line.count
                progress.total += 1
                guard part.count >= Self.partSize else { continue }
                try await store.addPart(part, number: number, of: job.id, tenant: job.tenant)
                (part, number) = ([], number + 1)
            }
            guard size <= Self.maximumResult else {
                return "The result is larger than \(Self.maximumResult >> 20) MiB: ask for fewer fields, or for parts."
            }
            // Newest first: of how many, is not known.
            progress.percent = min(99, progress.percent + 1)
            guard try await store.note(progress, errors: [], of: job, worker: name, now: clock()) else {
                return Self.takenOver
            }
            guard !Task.isCancelled else { return Self.stopped }
            guard let last = users.last, users.count == 500 else { break }
            cursor = last.id
        }
        if !part.isEmpty { try await store.addPart(part, number: number, of: job.id, tenant: job.tenant) }
        return nil
    }
}
