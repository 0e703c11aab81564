import Encodings
import Identity
import Pages
import Passkeys
import Tokens
import WebAuthn

/// What the account page shows of one account, read at one moment.
struct AccountPageContents: Sendable {
    private let own: OwnAccount
    private let passkeys: [Passkey]
    private let password: AccountMethod?
    private let sessions: ArraySlice<Session>
    private let events: [RecordedEvent]
    private let signals: AccountSignals?

    init(_ own: OwnAccount) async throws(APIError) {
        self.own = own
        let (services, context) = (own.services, own.context)
        passkeys = try await own.passkeys()
        password = try await own.password()
        do throws(StoreError) {
            let found = try await services.access.sessions(
                of: own.user.id,
                after: nil,
                limit: AccountPage.maximumSessionsRead,
                tenant: context.tenant,
                now: context.now
            )
            // The oldest come first.
            sessions = found.suffix(AccountPage.maximumSessions)
            events = try await services.events.events(
                of: context.tenant,
                user: own.user.id,
                from: .before(nil),
                limit: AccountPage.maximumEvents
            )
        } catch { throw APIError(error) }
        signals = await services.ceremonies.signals(for: own.user, having: passkeys, in: context)
    }

    func values(in language: PageLanguage) -> [String: PageValue] {
        let options = own.options
        let takesPasskeys = own.context.settings.passkeysEnabled && options?.passkeysEnabled == true
        let mayRetire = password != nil && own.mayRetirePassword(having: passkeys)
        return [
            "name": .text(own.user.displayIdentifier(options?.precedence ?? IdentifierKind.allCases)),
            "email": .text(own.user.identifier(.email)?.entered ?? ""),
            "email_verified": .flag(own.user.identifier(.email)?.isVerified == true),
            "signals": .text(signalsText), "may_add": .flag(takesPasskeys),
            "passkeys": .list(passkeys.map { describe($0, language) }),
            "sessions": .list(sessions.reversed().map { describe($0, language) }),
            "has_others": .flag(sessions.contains { $0.id != own.session.id }),
            "has_password": .flag(password != nil), "asks_old": .flag(passkeys.isEmpty),
            "length": .text(String(options?.password.minimumLength ?? 8)), "may_retire": .flag(mayRetire),
            "events": .list(events.compactMap { describe($0, language) }),
        ]
    }

    /// The arguments of the browser's signal methods, for the page's script (contract 9.6).
    private var signalsText: String {
        guard let signals else { return "" }
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        Signals.write(signals, to: &json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func describe(_ passkey: Passkey, _ language: PageLanguage) -> [String: PageValue] {
        let model = own.services.ceremonies.model(of: passkey.record.aaguid)
        let unnamed = Page.sentence("passkey.unnamed", in: language)
        let title = passkey.name ?? model.name ?? unnamed
        // As the signals and the API say it: what is backed up is eligible for it.
        let isSynced = passkey.record.backupEligible ?? passkey.record.backupState
        let made = Page.sentence(
            "account.made.\(passkey.enrolledBy.rawValue)",
            in: language,
            ["date": .text(Self.day(passkey.createdAt))]
        )
        return [
            "id": .text(passkey.id.text), "title": .text(title), "own_name": .text(passkey.name ?? ""),
            "model": .text(passkey.name == nil ? "" : model.name ?? ""), "icon": .text(model.icon ?? ""),
            "made": .text(made), "used": .text(passkey.lastUsedAt.map(Self.minute) ?? ""),
            "used_at": .text(passkey.lastUsedAt?.rfc3339 ?? ""),
            "kind": .text(Page.sentence(isSynced ? "account.synced" : "account.device_bound", in: language)),
            "is_this": .flag(passkey.number != nil && passkey.number == own.session.passkey),
            "is_suspended": .flag(passkey.suspendedAt != nil), "is_last": .flag(isLastWayIn(passkey)),
        ]
    }

    /// As the store decides it (contract 10.6).
    private func isLastWayIn(_ passkey: Passkey) -> Bool {
        guard passkey.suspendedAt == nil, password == nil else { return false }
        return !passkeys.contains { $0.id != passkey.id && $0.suspendedAt == nil }
    }

    private func describe(_ session: Session, _ language: PageLanguage) -> [String: PageValue] {
        let unknown = Page.sentence("account.device.unknown", in: language)
        let client = own.context.configuration.clients[session.client]
        return [
            "session": .text(session.id.text), "device": .text(DeviceName.of(session.device.userAgent) ?? unknown),
            "address": .text(session.device.address), "application": .text(client?.name ?? ""),
            "since": .text(Self.minute(session.createdAt)), "since_at": .text(session.createdAt.rfc3339),
            "is_this": .flag(session.id == own.session.id),
        ]
    }

    private func describe(_ recorded: RecordedEvent, _ language: PageLanguage) -> [String: PageValue]? {
        let event = recorded.event
        guard let type = event.types.first(where: { Self.told.contains($0) }) else { return nil }
        return [
            "what": .text(Page.sentence("account.event.\(type)", in: language)),
            "at": .text(event.at.rfc3339), "time": .text(Self.minute(event.at)),
            "device": .text(DeviceName.of(event.device.userAgent) ?? ""), "address": .text(event.device.address),
        ]
    }

    /// What is told of the log, with a text `account.event.…` each; the rest says nothing to the one whose account it is.
    static let told: Set<String> = [
        "s", "ss", "f", "fp", "fepkft", "scp", "scpr", "slo", "gd_enrollment_complete", "passkey_upgraded",
        "recovery_succeeded", "my_account_authentication_method_succeeded",
    ]

    private static func day(_ time: UnixTime) -> String { String(time.rfc3339.prefix(10)) }

    /// For who has no script, which writes it as the place has it.
    private static func minute(_ time: UnixTime) -> String {
        let text = time.rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
