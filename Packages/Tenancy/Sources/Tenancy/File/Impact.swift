public import Encodings
public import Identity

/// Whom one change of a plan touches.
public struct Impact: Sendable {
    /// What a rule decides.
    public enum Effect: String, Hashable, Sendable {
        /// The passkeys, or the passwords, sign nobody in any more.
        case signIn = "sign_in"
        /// The passkeys go on signing in, and could not be made again.
        case registration
    }

    /// `databases/Username-Password-Authentication options.passkey_options.webauthn.user_verification`.
    public let change: String
    /// `user_verification`, `relying_party_identifier`, `grant_types`.
    public let rule: String
    public let effect: Effect
    public internal(set) var passkeys = 0
    public internal(set) var users = 0
    /// Of those users the ones who get in now and would not after the whole plan.
    public internal(set) var noOtherWayIn = 0
    /// At most 1,000, those without another way in first; `nil` unless asked for.
    public internal(set) var who: [(user: UserID, name: String)]?

    /// In the words of HTTP contract 11.18.
    public var document: JSONObject {
        var document: JSONObject = [
            "change": .string(change), "rule": .string(rule), "effect": .string(effect.rawValue),
            "users": .integer(Int64(users)), "passkeys": .integer(Int64(passkeys)),
            "no_other_way_in": .integer(Int64(noOtherWayIn)),
        ]
        if let who {
            document.set(
                "who",
                .array(who.map { ["user_id": .string($0.user.subject), "name": .string($0.name)] })
            )
        }
        return document
    }
}

/// All impacts of a plan, and of how many people and passkeys they are.
public struct PlanImpact: Sendable {
    public internal(set) var impacts: [Impact] = []
    public internal(set) var allUsers = 0
    public internal(set) var allPasskeys = 0

    /// The most users that are named for one change.
    static let maximumNames = 1000
}

extension TenantAdministration {
    /// Whom a plan touches: one walk through the tenant's users, and none when no rule of the plan touches anybody.
    ///
    /// - Parameters:
    ///   - plan: what is to change.
    ///   - configuration: the tenant as it is.
    ///   - people: where users are kept.
    ///   - naming: whether users are named.
    /// - Returns: an entry for each rule that changes, also where nobody is touched.
    /// - Throws: `store`.
    public func impact(
        of plan: TenantPlan,
        in configuration: TenantConfiguration,
        people: any ImpactStore,
        naming: Bool
    ) async throws(TenancyError) -> PlanImpact {
        let rules = ImpactRule.all(from: configuration, to: plan.target)
        guard !rules.isEmpty else { return PlanImpact() }
        var count = ImpactCount(rules, from: configuration, to: plan.target, naming: naming)
        // A walk through everybody is no ordinary request: it has a budget of its own.
        let budget = StoreBudget(Self.timeForImpact)
        let page = 1000
        var last: UserID?
        while true {
            let from = last
            let read: Result<[WaysIn], StoreError> = await StoreBudget.$current.withValue(budget) {
                do throws(StoreError) {
                    return .success(try await people.waysIn(of: configuration.tenant.id, after: from, limit: page))
                } catch { return .failure(error) }
            }
            let users = try await stored([:]) { () throws(StoreError) in try read.get() }
            for user in users { count.add(user) }
            last = users.last?.user
            if users.count < page { return count.finished() }
        }
    }

    /// Below the five seconds that any request has.
    private static let timeForImpact: Duration = .seconds(4)
}
