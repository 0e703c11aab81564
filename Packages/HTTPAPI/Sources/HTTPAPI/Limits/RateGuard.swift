import Identity

/// Counts requests against the limits that are set, and refuses those over one.
///
/// Where servers share counters, each counts for itself while they cannot be reached: limits then hold a server, and
/// nobody is refused for want of a counter.
struct RateGuard: Sendable {
    let limits: @Sendable () -> RateLimits
    let limiter: RateLimiter
    let shared: (any RateCounter)?

    /// Counts the request in `bucket`, and notes what its answer says about the limit; of several buckets the one with
    /// the least left.
    func count(_ bucket: RateLimiter.Key.Bucket, _ exchange: inout Exchange) async throws(APIError) {
        let set = limits()
        let limit =
            switch bucket {
            case .passkeyChallenges: set.passkeyChallenges
            case .token: set.token
            case .signup: set.signup
            case .management: set.management
            }
        guard let limit else { return }
        // A sign-up is counted by address alone, over all tenants (contract 1.4).
        let tenant = bucket == .signup ? 0 : exchange.context.tenant.number
        let now = exchange.context.now.seconds
        // Managing is counted by tenant alone, wherever it is done from.
        let address = bucket == .management ? "" : exchange.context.network
        let key = RateLimiter.Key(bucket: bucket, tenant: tenant, address: address)
        let state = await sharedState(key, limit, &exchange) ?? limiter.count(key, limit, now: now)
        if state.isRefused {
            exchange.rate = state
            let wait = Int(clamping: max(1, state.reset - now))
            throw .rateLimited.with { $0.retryAfter = wait }
        }
        if exchange.rate.map({ state.remaining < $0.remaining }) ?? true { exchange.rate = state }
    }

    /// What the shared counters say; `nil` when there are none or they do not answer. A request waits for them once.
    private func sharedState(
        _ key: RateLimiter.Key,
        _ limit: RateLimit,
        _ exchange: inout Exchange
    ) async -> RateLimiter.State? {
        guard let shared, !exchange.countersAreAway else { return nil }
        let count: RateCount
        do throws(StoreError) {
            count = try await shared.count(key.text, window: limit.seconds)
        } catch {
            exchange.countersAreAway = true
            return nil
        }
        let (end, isTooLate) = exchange.context.now.seconds.addingReportingOverflow(
            (count.millisecondsLeft + 999) / 1000
        )
        return RateLimiter.State(
            limit: limit.limit,
            remaining: max(0, limit.limit - count.tries),
            reset: isTooLate ? .max : end,
            isRefused: count.tries > limit.limit
        )
    }
}

extension RateLimiter.Key {
    /// For a counter outside the process.
    fileprivate var text: String {
        let word =
            switch bucket {
            case .passkeyChallenges: "passkey_challenges"
            case .token: "token"
            case .signup: "signup"
            case .management: "management"
            }
        return "\(word):\(tenant):\(address)"
    }
}
