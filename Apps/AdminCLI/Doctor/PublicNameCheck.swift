import Cryptography
import Encodings
import Identity
import Tenancy
import Transfer

/// One name of a tenant, asked for as somebody outside asks.
struct PublicNameCheck {
    private let domain: Domain
    private let keys: [SigningKeyRecord]
    private let outside: Outside
    private let now: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - domain: a ready one.
    ///   - keys: the tenant's, that are not retired.
    ///   - outside: who asks.
    ///   - now: the clock of this machine.
    init(
        _ domain: Domain,
        _ keys: [SigningKeyRecord],
        _ outside: Outside,
        _ now: @escaping @Sendable () -> UnixTime
    ) {
        self.domain = domain
        self.keys = keys
        self.outside = outside
        self.now = now
    }

    func findings() -> [Finding] {
        switch get("/.well-known/openid-configuration") {
        case .failure(let error): return [unreachable(error)]
        case .success(let answer):
            guard isOurs(answer) else { return certificate(answer) + [otherAnswer(answer)] }
            let here = Finding(.publicName, .ok, domain.base, "it leads here, and its issuer is right")
            return certificate(answer) + [here] + clock(answer) + forgery() + keySet()
        }
    }

    private func get(_ path: String, _ headers: [WebHeader] = []) -> Result<WebResponse, TransferError> {
        outside.get(domain.base + path, headers, isLoopback: domain.isLoopbackName)
    }

    private func isOurs(_ answer: WebResponse) -> Bool {
        answer.status == 200 && issuer(answer) == domain.base + "/"
    }

    private func issuer(_ answer: WebResponse) -> String? {
        (try? JSON.parse(answer.body))?.object?["issuer"]?.string
    }

    // MARK: Reaching it

    private func unreachable(_ error: TransferError) -> Finding {
        let reason = "\(error)"
        let isTLS = ["certificate", "SSL", "TLS"].contains { reason.contains($0) }
        let remedy =
            if domain.isLoopbackName {
                "Start latchkey-server; listen must have the port of \(domain.host)."
            } else if isTLS {
                "The certificate must be for \(domain.name), not over, and of an authority that devices trust, with the "
                    + "certificates that lead to it. Caddy needs no more than the name."
            } else {
                "DNS must lead \(domain.name) to the proxy, and the proxy must listen there on port 443."
            }
        let text = "it cannot be asked: \(reason)"
        return Finding(isTLS ? .tls : .publicName, .failed, domain.base, text, remedy: remedy)
    }

    private func otherAnswer(_ answer: WebResponse) -> Finding {
        let text: String
        var remedy =
            "The proxy has to pass the name on. Caddy does; nginx: proxy_set_header Host $http_host; "
            + "proxy_set_header X-Forwarded-Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;"
        if answer.status == 200, let issuer = issuer(answer) {
            text = "its issuer is \(issuer), and should be \(domain.base)/"
        } else if answer.status == 200 {
            text = "somebody else answers: that is no OpenID configuration"
            remedy = "Let the proxy pass everything under this name on to latchkey-server."
        } else if (300..<400).contains(answer.status) {
            text = "it answers with a redirect (\(answer.status) to \(answer.header("location") ?? "nowhere"))"
            remedy = "Serve /.well-known/ before any rule that redirects."
        } else if answer.status >= 500 {
            text = "it answers with status \(answer.status)"
            remedy =
                "502 and 504 are the proxy's, which does not reach latchkey-server: compare its address with listen; "
                + "503: see what `latchkey-server health` says."
        } else {
            let problem = (try? JSON.parse(answer.body))?.object?["error_description"]?.string
            text = "it answers with status \(answer.status)" + (problem.map { " (\($0))" } ?? "")
        }
        return Finding(.publicName, .failed, domain.base, text, remedy: remedy)
    }

    private func certificate(_ answer: WebResponse) -> [Finding] {
        guard let pem = answer.certificate, let certificate = try? Certificate.list(pem: pem).first else { return [] }
        return [CertificateAge.finding(certificate, domain.base, now())]
    }

    // MARK: The clock

    /// Tokens are good for minutes around the time that servers believe in.
    private func clock(_ answer: WebResponse) -> [Finding] {
        guard let there = answer.header("date").flatMap(HTTPDate.seconds) else { return [] }
        let difference = there - now().seconds
        guard abs(difference) > 5 else {
            return [Finding(.clock, .ok, domain.base, "the server and this machine agree on the time")]
        }
        return [
            Finding(
                .clock,
                abs(difference) > 60 ? .failed : .warning,
                domain.base,
                "its clock is \(abs(difference)) s \(difference > 0 ? "ahead of" : "behind") this machine's",
                remedy: "Let both keep the time by NTP: timedatectl set-ntp true"
            )
        ]
    }

    // MARK: Forged headers

    /// A client must not choose the name or the scheme that its request is for.
    private func forgery() -> [Finding] {
        // A program of this machine is the proxy, where loopback is trusted.
        guard !domain.isLoopbackName else { return [] }
        let forged = [
            (
                WebHeader("X-Forwarded-Host", "forged.invalid"),
                "nginx: proxy_set_header X-Forwarded-Host $http_host; without a proxy: trusted_proxies: none."
            ),
            (
                WebHeader("X-Forwarded-Proto", "http"),
                "nginx: proxy_set_header X-Forwarded-Proto $scheme; without a proxy: trusted_proxies: none."
            ),
        ]
        var taken: [Finding] = []
        for (header, remedy) in forged {
            let result = get("/.well-known/openid-configuration", [header])
            // A server that refuses two values of one header is as safe.
            guard case .success(let answer) = result, !isOurs(answer), answer.status != 400 else { continue }
            taken.append(
                Finding(
                    .proxyHeaders,
                    .failed,
                    domain.base,
                    "a forged \(header.name) gets through (status \(answer.status)): whoever sends one says what "
                        + "requests are for",
                    remedy: remedy
                )
            )
        }
        return taken.isEmpty
            ? [Finding(.proxyHeaders, .ok, domain.base, "forged X-Forwarded-Host and X-Forwarded-Proto have no effect")]
            : taken
    }

    // MARK: The key set

    /// How long verifiers may keep the set: the rotation of keys counts on it (HTTP contract 6.7).
    private static let longestAge: Int64 = 300
    private static let longestStale: Int64 = 60

    private func keySet() -> [Finding] {
        let address = domain.base + "/.well-known/jwks.json"
        func failed(_ text: String, _ remedy: String) -> Finding {
            Finding(.keySet, .failed, address, text, remedy: remedy)
        }
        guard case .success(let answer) = get("/.well-known/jwks.json") else {
            return [failed("it cannot be fetched", "Nobody can check tokens: let the proxy pass it on.")]
        }
        guard answer.status == 200, let set = (try? JSON.parse(answer.body))?.object?["keys"]?.array else {
            return [failed("it is no key set (status \(answer.status))", "Let the proxy pass it on as it is.")]
        }
        var found: [Finding] = []
        let there = Set(set.compactMap { $0.object?["kid"]?.string })
        // What was published just now may be on its way.
        let settled = now().adding(seconds: -(Self.longestAge + Self.longestStale))
        let missing = keys.filter { key in
            [.active, .published].contains(key.state) && key.revokedAt == nil && key.createdAt < settled
                && !there.contains(key.id.text)
        }
        if let key = missing.first {
            found.append(
                failed(
                    "it lacks key \(key.id.text): tokens that it signs are refused",
                    "Something keeps an older set: let no cache in between keep it for longer than Cache-Control says."
                )
            )
        }
        found += caching(answer, address)
        return found.isEmpty ? [Finding(.keySet, .ok, address, "\(there.count) keys, kept for five minutes")] : found
    }

    private func caching(_ answer: WebResponse, _ address: String) -> [Finding] {
        let remedy = "Let the proxy leave Cache-Control as it is: public, max-age=300, stale-while-revalidate=60"
        let control = CacheControl(answer.header("cache-control") ?? "")
        if control.forbidsKeeping || control.maximumAge == nil {
            return [
                Finding(
                    .keySet,
                    .warning,
                    address,
                    "nobody may keep it (Cache-Control is \"\(answer.header("cache-control") ?? "")\"): each check of "
                        + "a token may ask for it anew",
                    remedy: remedy
                )
            ]
        }
        let longest = (control.maximumAge ?? 0) + (control.staleWhileRevalidate ?? 0)
        let age = answer.header("age").flatMap(Int64.init) ?? 0
        guard longest > Self.longestAge + Self.longestStale || age > Self.longestAge + Self.longestStale else {
            return []
        }
        return [
            Finding(
                .keySet,
                .failed,
                address,
                "it may be kept for \(max(longest, age)) s: after a rotation, tokens of the new key are refused",
                remedy: remedy
            )
        ]
    }
}

/// What of a `Cache-Control` header counts here (RFC 9111 §5.2.2).
struct CacheControl {
    private(set) var forbidsKeeping = false
    private(set) var maximumAge: Int64?
    private(set) var staleWhileRevalidate: Int64?

    init(_ text: String) {
        for part in text.split(separator: ",") {
            let words = part.filter { $0 != " " }.lowercased().split(separator: "=", maxSplits: 1)
            let seconds = words.count > 1 ? Int64(words[1]) : nil
            switch words.first {
            case "no-store", "no-cache", "private": forbidsKeeping = true
            case "max-age": maximumAge = seconds
            case "stale-while-revalidate": staleWhileRevalidate = seconds
            default: break
            }
        }
    }
}

/// The date of an HTTP answer (RFC 9110 §5.6.7, the form that servers write).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for anything else.
    static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), 1...31 ~= day,
            let month = months.firstIndex(where: { $0 == words[2] }), let year = Int64(words[3]), 1970...9999 ~= year
        else { return nil }
        let time = words[4].split(separator: ":").compactMap { Int64($0) }
        guard time.count == 3, 0...23 ~= time[0], 0...59 ~= time[1], 0...60 ~= time[2] else { return nil }
        // Days since 1970 of a date, by years that begin in March.
        let shifted = month < 2 ? year - 1 : year
        let monthFromMarch = Int64((month + 10) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86400 + time[0] * 3600 + time[1] * 60 + time[2]
    }
}
