import Identity

/// Counts requests against the limits that are set, and refuses those over one.
struct RateGuard: Sendable {
    let limits: @Sendable () -> RateLimits
    let limiter: RateLimiter

    /// Counts the request in `bucket`, and notes what its answer says about the limit; of several buckets the one with
    /// the least left.
    func count(_ bucket: RateLimiter.Key.Bucket, _ exchange: inout Exchange) throws(APIError) {
        let set = limits()
        let limit =
            switch bucket {
            case .passkeyChallenges: set.passkeyChallenges
            case .token: set.token
            case .signup: set.signup
            }
        guard let limit else { return }
        // A sign-up is counted by address alone, over all tenants (contract 1.4).
        let tenant = bucket == .signup ? 0 : exchange.context.tenant.number
        let now = exchange.context.now.seconds
        let state = limiter.count(
            RateLimiter.Key(bucket: bucket, tenant: tenant, address: exchange.context.network),
            limit,
            now: now
        )
        if state.isRefused {
            exchange.rate = state
            let wait = Int(clamping: max(1, state.reset - now))
            throw .rateLimited.with { $0.retryAfter = wait }
        }
        if exchange.rate.map({ state.remaining < $0.remaining }) ?? true { exchange.rate = state }
    }
}
