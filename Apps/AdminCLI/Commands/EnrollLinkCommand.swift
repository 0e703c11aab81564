import Accounts
import Encodings
import Identity
import QRCode
import Settings
import Terminal

/// `enroll-link`: a way back in for somebody who lost what they signed in with (HTTP contract 9.5).
enum EnrollLinkCommand {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "enroll-link",
            "make a link with which a user makes a new passkey, once, within an hour",
            group: AdminProgram.Group.people,
            words: [Word("USER", "an id, mail address, phone number or user name")],
            flags: [
                AdminProgram.tenantFlag,
                Flag("domain", "HOST", "where the passkey is made; the tenant's default unless given"),
                Flag("minutes", "COUNT", "how long the link is good, at most \(maximumMinutes); 60 unless given"),
                .output(),
            ],
            examples: [
                "latchkey-admin enroll-link ana@example.com", "latchkey-admin enroll-link ana --minutes 10 -o json",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            let minutes = try minutes(invocation)
            return try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let user = try await deployment.user(invocation.word("USER") ?? "", in: tenant)
                let domain = try domain(invocation, of: tenant)
                guard user.blockedAt == nil else {
                    throw CommandFailure(
                        .conflict,
                        "\(user.id.subject) is blocked. Let them in first: \(AdminProgram.name) user unblock \(user.id.subject)"
                    )
                }
                let link = try await link(for: user, on: domain, minutes: minutes, deployment)
                show(link, for: user, minutes: minutes, deployment)
                return .done
            }
        }
    }

    private static let maximumMinutes: Int64 = 1440

    private static func minutes(_ invocation: Invocation) throws(CommandFailure) -> Int64 {
        guard let text = invocation.value("minutes") else { return 60 }
        guard let minutes = Int64(text), (1...maximumMinutes).contains(minutes) else {
            throw CommandFailure(.wrongUse, "--minutes \(quoted(text)): it must be 1 to \(maximumMinutes).")
        }
        return minutes
    }

    private static func domain(
        _ invocation: Invocation,
        of tenant: TenantConfiguration
    ) throws(CommandFailure) -> Domain {
        let ready = tenant.domains.filter { $0.status == .ready }
        if let host = invocation.value("domain") {
            guard let found = ready.first(where: { $0.host == host.lowercased() }) else {
                throw CommandFailure.notFound("domain", host, among: ready.map(\.host))
            }
            return found
        }
        guard let domain = ready.first(where: \.isDefault) ?? ready.first(where: \.isCanonical) ?? ready.first else {
            throw CommandFailure(.conflict, "the tenant has no domain that is ready.")
        }
        return domain
    }

    private static func link(
        for user: User,
        on domain: Domain,
        minutes: Int64,
        _ deployment: Deployment
    ) async throws -> String {
        let secret = try await Tickets(store: deployment.store, random: deployment.tools.random).make(
            .passkeyEnrollment,
            for: user,
            parameters: [:],
            seconds: minutes * 60,
            now: deployment.now,
            audit: deployment.event(user.id.subject, of: user.tenant, user: user.id)
        )
        // A name that only this machine can mean is served without TLS, unless a certificate was given.
        let isPlain = domain.isLoopbackName && deployment.settings.tlsCertificate.value == nil
        return "\(isPlain ? "http" : "https")://\(domain.host)/u/enroll-passkey?ticket=\(secret)"
    }

    /// The link alone where a program reads; a square to scan beside it where a person does.
    private static func show(_ link: String, for user: User, minutes: Int64, _ deployment: Deployment) {
        let console = deployment.console
        guard deployment.invocation.format != .json else {
            let end = deployment.now.adding(seconds: minutes * 60)
            console.answer(
                Details([
                    "user_id": .string(user.id.subject), "link": .string(link), "expires_at": .string(end.rfc3339),
                ]),
                as: .json
            )
            return
        }
        if console.output.isTerminal, let code = try? QRCode(link) {
            for line in code.terminalLines { console.answer(line) }
        }
        console.answer(link)
        console.note(
            "Whoever opens it makes a passkey for \(printable(user.displayIdentifier([]))), once, within \(minutes) minutes. "
                + "Sessions and refresh tokens of before end then; the old passkeys stay until they are removed."
        )
    }
}
