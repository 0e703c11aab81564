internal import Encodings
public import Identity

/// A hosted sign-in under way: what the application asked for, and nothing of who signs in (HTTP contract 8.1).
public struct AuthorizationTransaction: Hashable, Sendable {
    public let client: ClientID
    /// Registered, as the request had it.
    public let redirectURI: String
    /// Whether the answer is a form that the browser posts, and not a query.
    public let usesFormPost: Bool
    public let state: String?
    public let nonce: String?
    /// As the request had it.
    public let scope: String?
    public let audience: String?
    /// The PKCE challenge of method `S256`.
    public let challenge: String?
    public let prompts: Set<Prompt>
    /// Seconds.
    public let maximumAge: Int64?
    public let acrValues: [String]
    /// Whom an ID token of before named.
    public let hintedUser: UserID?
    public let loginHint: String?
    /// The name of a user directory.
    public let connection: String?
    /// `ui_locales`.
    public let locales: String?
    public let startsWithSignUp: Bool
    /// Whether it leads to the server's own account page: no application asked, and none gets an answer.
    public let isForAccount: Bool
    public let startedAt: UnixTime

    public enum Prompt: String, Hashable, Sendable, CaseIterable {
        case none
        case login
        case consent
        case selectAccount = "select_account"
        case create
    }

    /// Milliseconds that it lives.
    public static let lifetime: Int64 = 900_000
    /// Bytes that its parameters may have together: it goes through the browser's address.
    static let maximumSize = 3072

    /// Checks a request of a known client with a registered `redirect_uri`.
    ///
    /// - Parameters:
    ///   - parameters: the request's.
    ///   - redirectURI: where its answer goes.
    ///   - hintedUser: whom `id_token_hint` names, when it is one of ours.
    ///   - client: who asks.
    ///   - context: where and when.
    /// - Throws: the first fault, in the contract's order.
    public init(
        _ parameters: AuthorizationParameters,
        redirectURI: String,
        hintedUser: UserID?,
        client: Client,
        in context: RequestContext
    ) throws(AuthorizationError) {
        try Self.checkKind(parameters, client)
        try Self.checkChallenge(parameters, client)
        let prompts = try Self.prompts(parameters.prompt)
        try Self.checkGrant(parameters, client, context)
        if let name = parameters.connection {
            do throws(DirectoryError) {
                _ = try context.connection(realm: name, for: client)
            } catch {
                throw .invalidRequest("The connection does not exist or is not enabled for the client")
            }
        }
        if parameters.idTokenHint != nil, hintedUser == nil {
            throw .invalidRequest("Invalid parameter: id_token_hint")
        }
        self.client = client.id
        self.redirectURI = redirectURI
        usesFormPost = parameters.responseMode == "form_post"
        state = parameters.state
        nonce = parameters.nonce
        scope = parameters.scope
        audience = parameters.audience
        challenge = parameters.challenge
        self.prompts = prompts
        maximumAge = try Self.maximumAge(parameters.maximumAge)
        acrValues = Scopes.parse(parameters.acrValues)
        self.hintedUser = hintedUser
        loginHint = parameters.loginHint
        connection = parameters.connection
        locales = parameters.locales
        startsWithSignUp = prompts.contains(.create) || parameters.screenHint == "signup"
        isForAccount = false
        startedAt = context.now
        guard encoded.count <= Self.maximumSize else { throw .invalidRequest("The request is too long") }
    }

    /// A sign-in that leads to the account page of this server (HTTP contract 8.2).
    ///
    /// - Parameters:
    ///   - address: of the page.
    ///   - client: in whose name sessions are begun.
    ///   - connection: the name of the user directory.
    ///   - proof: of whom a fresh sign-in is asked for; `nil`: of anybody, and a session that there is will do.
    ///   - context: where and when.
    public init(
        accountPage address: String,
        client: Client,
        connection: String,
        proof: AccountProof?,
        in context: RequestContext
    ) {
        self.client = client.id
        redirectURI = address
        usesFormPost = false
        state = nil
        nonce = nil
        scope = nil
        audience = nil
        challenge = nil
        prompts = proof == nil ? [] : [.login]
        maximumAge = nil
        acrValues = proof?.needsPasskey == true ? ["phr"] : []
        hintedUser = nil
        loginHint = proof?.name
        self.connection = connection
        locales = nil
        startsWithSignUp = false
        isForAccount = true
        startedAt = context.now
    }

    /// Whether the sign-in is to be made with a passkey: where nothing else will do, nothing else is offered.
    public var needsPasskey: Bool { isForAccount && !acrValues.isEmpty }

    /// Whether it can be answered at all: what is asked for, in which form, and whether the client may.
    private static func checkKind(
        _ parameters: AuthorizationParameters,
        _ client: Client
    ) throws(AuthorizationError) {
        if let mode = parameters.responseMode, mode != "query", mode != "form_post" {
            throw .invalidRequest("Invalid parameter: response_mode")
        }
        if parameters.hasRequest { throw .requestNotSupported }
        if parameters.hasRequestURI { throw .requestURINotSupported }
        if parameters.hasRegistration { throw .registrationNotSupported }
        guard let type = parameters.responseType else {
            throw .invalidRequest("Missing required parameter: response_type")
        }
        guard type == "code" else { throw .unsupportedResponseType }
        guard client.allows(.authorizationCode) else { throw .unauthorizedClient }
    }

    /// PKCE with S256, which a client without a secret cannot do without (RFC 9700 §2.1.1).
    private static func checkChallenge(
        _ parameters: AuthorizationParameters,
        _ client: Client
    ) throws(AuthorizationError) {
        guard let challenge = parameters.challenge else {
            guard parameters.challengeMethod == nil, client.isConfidential else {
                throw .invalidRequest("Missing required parameter: code_challenge")
            }
            return
        }
        guard parameters.challengeMethod == "S256" else {
            throw .invalidRequest("Invalid parameter: code_challenge_method")
        }
        // SHA-256 in base64url.
        guard challenge.utf8.count == 43, (try? Base64URL.decode(challenge))?.count == 32 else {
            throw .invalidRequest("Invalid parameter: code_challenge")
        }
    }

    private static func prompts(_ text: String?) throws(AuthorizationError) -> Set<Prompt> {
        var prompts: Set<Prompt> = []
        for word in Scopes.parse(text) {
            guard let prompt = Prompt(rawValue: word) else { throw .invalidRequest("Invalid parameter: prompt") }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else { throw .invalidRequest("Invalid parameter: prompt") }
        return prompts
    }

    private static func maximumAge(_ text: String?) throws(AuthorizationError) -> Int64? {
        guard let text else { return nil }
        guard text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let age = Int64(text) else {
            throw .invalidRequest("Invalid parameter: max_age")
        }
        return age
    }

    /// Audience and scope, as the token endpoint will judge them.
    private static func checkGrant(
        _ parameters: AuthorizationParameters,
        _ client: Client,
        _ context: RequestContext
    ) throws(AuthorizationError) {
        do throws(TokenError) {
            _ = try GrantDecision.user(
                audience: parameters.audience,
                scope: parameters.scope,
                client: client,
                in: context
            )
        } catch {
            switch error {
            case .unknownAudience(let audience): throw .unknownAudience(audience)
            case .clientGrantMissing(let audience): throw .clientGrantMissing(audience)
            default: throw .invalidRequest("Invalid parameter: scope")
            }
        }
    }
}

/// Somebody who is to show anew that it is them, before they change how they sign in (HTTP contract, section 10).
public struct AccountProof: Hashable, Sendable {
    /// What they sign in with, for the form.
    public let name: String
    /// Whether they have a passkey, and so have to use one.
    public let needsPasskey: Bool

    public init(name: String, needsPasskey: Bool) {
        self.name = name
        self.needsPasskey = needsPasskey
    }
}

extension AuthorizationTransaction {
    /// Its form as JSON.
    var encoded: [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("c", client.text)
        json.member("r", redirectURI)
        json.member("t", startedAt.milliseconds)
        for (name, text) in [
            ("s", state), ("n", nonce), ("o", scope), ("a", audience), ("p", challenge), ("h", loginHint),
            ("d", connection), ("l", locales), ("u", hintedUser?.hex),
        ] {
            if let text { json.member(name, text) }
        }
        if let maximumAge { json.member("m", maximumAge) }
        json.name("q")
        json.strings(prompts.map(\.rawValue).sorted())
        json.name("v")
        json.strings(acrValues)
        json.name("f")
        json.bool(usesFormPost)
        json.name("i")
        json.bool(startsWithSignUp)
        if isForAccount {
            json.name("k")
            json.bool(true)
        }
        json.endObject()
        return json.bytes
    }

    /// Reads what ``encoded`` gave.
    init?(decoding bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes).object, let client = json["c"]?.string,
            let redirectURI = json["r"]?.string, let startedAt = json["t"]?.integer,
            let usesFormPost = json["f"]?.bool, let startsWithSignUp = json["i"]?.bool,
            let prompts = json["q"]?.array, let acrValues = json["v"]?.array
        else { return nil }
        self.client = ClientID(client)
        self.redirectURI = redirectURI
        self.usesFormPost = usesFormPost
        state = json["s"]?.string
        nonce = json["n"]?.string
        scope = json["o"]?.string
        audience = json["a"]?.string
        challenge = json["p"]?.string
        self.prompts = Set(prompts.compactMap { $0.string.flatMap(Prompt.init(rawValue:)) })
        maximumAge = json["m"]?.integer
        self.acrValues = acrValues.compactMap(\.string)
        hintedUser = json["u"]?.string.flatMap { UserID($0) }
        loginHint = json["h"]?.string
        connection = json["d"]?.string
        locales = json["l"]?.string
        self.startsWithSignUp = startsWithSignUp
        isForAccount = json["k"]?.bool ?? false
        self.startedAt = UnixTime(milliseconds: startedAt)
    }
}
