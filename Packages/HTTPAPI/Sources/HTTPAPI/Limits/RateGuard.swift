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
    ///
    /// - Parameters:
    ///   - bucket: which limit.
    ///   - name: whom it counts; `nil`: the address that asks.
    ///   - exchange: the request.
    /// - Throws: `rate_limited`.
    func count(
        _ bucket: RateLimiter.Key.Bucket,
        of name: String? = nil,
        _ exchange: inout Exchange
    ) async throws(APIError) {
        guard let limit = limit(bucket) else { return }
        // A sign-up is counted by address alone, over all tenants (contract 1.4).
        let tenant = bucket == .signup ? 0 : exchange.context.tenant.number
        let now = exchange.context.now.seconds
        // Managing is counted by tenant alone, wherever it is done from.
        let address = name ?? (bucket == .management ? "" : exchange.context.network)
        let key = RateLimiter.Key(bucket: bucket, tenant: tenant, address: address)
        let state = await sharedState(key, limit, &exchange) ?? limiter.count(key, limit, now: now)
        if state.isRefused {
            exchange.rate = state
            let wait = Int(clamping: max(1, state.reset - now))
            throw .rateLimited.with { $0.retryAfter = wait }
        }
        if exchange.rate.map({ state.remaining < $0.remaining }) ?? true { exchange.rate = state }
    }

    /// Counts a mail to `name`, whether or not anybody has that name.
    ///
    /// - Returns: false when it has had its mails for now. Nobody is told.
    func mayMail(_ name: String, _ exchange: inout Exchange) async -> Bool {
        guard let limit = limit(.recoveryMail) else { return true }
        let key = RateLimiter.Key(bucket: .recoveryMail, tenant: exchange.context.tenant.number, address: name)
        let state =
            await sharedState(key, limit, &exchange)
            ?? limiter.count(key, limit, now: exchange.context.now.seconds)
        return !state.isRefused
    }

    private func limit(_ bucket: RateLimiter.Key.Bucket) -> RateLimit? {
        let set = limits()
        return switch bucket {
        case .passkeyChallenges: set.passkeyChallenges
        case .token: set.token
        case .signup: set.signup
        case .management: set.management
        case .myAccount: set.myAccount
        case .recoveryMail: set.recoveryMail
        case .recoveryCodes: set.recoveryCodes
        case .recoveryCodesIP:
            set.recoveryCodes.map { limit in
                RateLimit(limit: limit.limit.multipliedReportingOverflow(by: 5).partialValue, seconds: limit.seconds)
            }
        case .passwordIdentifierIP: set.passwordIdentifierIP
        case .passwordIP: set.passwordIP
        }
    }

    /// A try that was counted before anything was looked at.
    struct PasswordTry {
        fileprivate let keys: [RateLimiter.Key]
    }

    /// Counts a recovery code that somebody typed, as though it were wrong.
    ///
    /// - Parameters:
    ///   - name: what stands for the name that is recovered, whether or not anybody has it; `nil`: no recovery.
    ///   - exchange: the request.
    /// - Returns: what to take back when it was right.
    /// - Throws: `rate_limited`.
    func countCode(of name: String?, _ exchange: inout Exchange) async throws(APIError) -> PasswordTry {
        let (tenant, now) = (exchange.context.tenant.number, exchange.context.now.seconds)
        var counted: [RateLimiter.Key] = []
        let addresses = [(RateLimiter.Key.Bucket.recoveryCodes, name), (.recoveryCodesIP, exchange.context.network)]
        for (bucket, address) in addresses {
            guard let address, let limit = limit(bucket) else { continue }
            let key = RateLimiter.Key(bucket: bucket, tenant: tenant, address: address)
            let state = await sharedState(key, limit, &exchange) ?? limiter.count(key, limit, now: now)
            guard !state.isRefused else {
                await takeBack(PasswordTry(keys: counted), wasRight: false)
                exchange.rate = state
                let wait = Int(clamping: max(1, state.reset - now))
                throw .rateLimited.with { $0.retryAfter = wait }
            }
            counted.append(key)
        }
        return PasswordTry(keys: counted)
    }

    /// Counts a try of a password for `name` from `network`, as though it failed.
    ///
    /// - Parameters:
    ///   - name: what stands for the name, whether or not anybody has it; short, and no name itself.
    ///   - network: where it comes from.
    ///   - exchange: the request.
    /// - Returns: what to take back when it was no failure.
    /// - Throws: `account_locked`.
    func countPassword(
        of name: String,
        from network: String,
        _ exchange: inout Exchange
    ) async throws(APIError) -> PasswordTry {
        let set = limits()
        let tenant = exchange.context.tenant.number
        let now = exchange.context.now.seconds
        let buckets: [(RateLimiter.Key, RateLimit?, locks: Bool)] = [
            (
                RateLimiter.Key(bucket: .passwordIdentifierIP, tenant: tenant, address: "\(network) \(name)"),
                set.passwordIdentifierIP, true
            ),
            (RateLimiter.Key(bucket: .passwordIP, tenant: tenant, address: network), set.passwordIP, false),
        ]
        var counted: [RateLimiter.Key] = []
        for (key, limit, locks) in buckets {
            guard let limit else { continue }
            let state =
                await sharedState(key, limit, locks: locks, &exchange)
                ?? limiter.count(key, limit, now: now, locks: locks)
            if state.isRefused {
                await takeBack(PasswordTry(keys: counted), wasRight: false)
                let wait = Int(clamping: max(1, state.reset - now))
                throw .accountLocked(retryAfter: wait)
            }
            counted.append(key)
        }
        return PasswordTry(keys: counted)
    }

    /// Takes a try back that was no failure. One that was right forgives the failures of the name there, too.
    func takeBack(_ passwordTry: PasswordTry, wasRight: Bool) async {
        for key in passwordTry.keys {
            let all = wasRight && key.bucket == .passwordIdentifierIP
            limiter.takeBack(key, all: all)
            // Without the counters the count runs out by itself.
            try? await shared?.takeBack(key.text, all: all)
        }
    }

    /// What the shared counters say; `nil` when there are none or they do not answer. A request waits for them once.
    private func sharedState(
        _ key: RateLimiter.Key,
        _ limit: RateLimit,
        locks: Bool = false,
        _ exchange: inout Exchange
    ) async -> RateLimiter.State? {
        guard let shared, !exchange.countersAreAway else { return nil }
        let count: RateCount
        do throws(StoreError) {
            count =
                locks
                ? try await shared.count(key.text, window: limit.seconds, lockingAt: limit.limit)
                : try await shared.count(key.text, window: limit.seconds)
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
            case .myAccount: "my_account"
            case .recoveryMail: "recovery_mail"
            case .recoveryCodes: "recovery_codes"
            case .recoveryCodesIP: "recovery_codes_ip"
            case .passwordIdentifierIP: "password_identifier_ip"
            case .passwordIP: "password_ip"
            }
        return "\(word):\(tenant):\(address)"
    }
}
