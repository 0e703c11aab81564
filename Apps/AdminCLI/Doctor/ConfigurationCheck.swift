import Cryptography
import Identity
import Settings
import Terminal
import Transfer

/// What the settings say by themselves, and the certificate that they name.
enum ConfigurationCheck {
    static func findings(_ settings: Settings, now: UnixTime) -> [Finding] {
        var found = settings.warnings.map { Finding(.configuration, .warning, "", "\($0)") }
        if found.isEmpty {
            let count = settings.entries.count { $0.source != .default }
            found.append(
                Finding(.configuration, .ok, settings.file ?? "no file", "\(count) settings differ from their default")
            )
        }
        if let file = settings.tlsCertificate.value { found.append(certificate(file, now)) }
        return found
    }

    /// The server's own certificate: the first of the file.
    private static func certificate(_ file: String, _ now: UnixTime) -> Finding {
        let remedy = "Set tls.certificate to a PEM file of the certificate and those that lead to its authority."
        do {
            let text = String(decoding: try ReadableFile.read(file, limit: 1 << 20), as: UTF8.self)
            guard let first = try Certificate.list(pem: text).first else {
                return Finding(.tls, .failed, file, "there is no certificate in it", remedy: remedy)
            }
            return CertificateAge.finding(first, file, now)
        } catch let error as CommandFailure {
            return Finding(.tls, .failed, file, error.message, remedy: remedy)
        } catch {
            return Finding(.tls, .failed, file, "it is no certificate: \(error)", remedy: remedy)
        }
    }
}

/// How long a certificate is still good.
enum CertificateAge {
    /// What most authorities' clients renew at is a month; from here on something is stuck.
    private static let warningDays: Int64 = 14

    static func finding(_ certificate: Certificate, _ subject: String, _ now: UnixTime) -> Finding {
        let remedy = "Renew it, and look why nothing did: Caddy and certbot renew a month before."
        let left = certificate.notAfter - now.seconds
        let (days, end) = (left / 86400, UnixTime(seconds: certificate.notAfter).rfc3339)
        if certificate.notBefore > now.seconds {
            let start = UnixTime(seconds: certificate.notBefore).rfc3339
            return Finding(.tls, .failed, subject, "the certificate is good from \(start) on", remedy: remedy)
        }
        if left < 0 { return Finding(.tls, .failed, subject, "the certificate ended at \(end)", remedy: remedy) }
        if days < warningDays {
            return Finding(.tls, .warning, subject, "the certificate ends in \(days) days, at \(end)", remedy: remedy)
        }
        return Finding(.tls, .ok, subject, "the certificate is good for \(days) days")
    }
}

/// Whether the mail server lets us in.
enum MailCheck {
    static func findings(_ settings: Settings, _ tools: AdminTools) -> [Finding] {
        guard case .smtp(let url) = settings.mail.value else {
            return [
                Finding(
                    .mail,
                    .skipped,
                    "mail",
                    "it is \(settings.mail.value), so that nobody recovers an account by mail",
                    remedy: "Set mail: smtps://USER@HOST, its password in mail_file, and mail_from."
                )
            ]
        }
        let subject = "\(settings.mail.value)"
        // The name that a sender of this address gives.
        let greeting = settings.mailFrom.value?.address.split(separator: "@").last.map(String.init) ?? "localhost"
        do throws(MailRelayError) {
            try tools.greetMailServer(
                MailRelay(
                    url.scheme == "smtps" ? .smtps : .smtp,
                    host: url.host,
                    port: url.port,
                    credentials: url.user.map { .init(user: $0, password: url.password ?? "") },
                    greeting: greeting,
                    timeout: 15_000
                )
            )
            let login = url.user == nil ? "" : ", and lets \(quoted(url.user ?? "")) in"
            return [Finding(.mail, .ok, subject, "the server answers\(login)")]
        } catch {
            return [
                Finding(
                    .mail,
                    .failed,
                    subject,
                    "the server does not take us: \(error)",
                    remedy: "Compare mail with what the relay's operator gave: host, port, user, password; smtps:// "
                        + "for TLS from the first byte (465), smtp:// for STARTTLS (587)."
                )
            ]
        }
    }
}
