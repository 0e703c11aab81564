import Encodings
import HTTPServer
import Identity
import Passkeys
import WebAuthn

/// The FIDO conformance API (contract 13): off unless the tenant has it on, and then about a directory of its own.
struct ConformanceRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        ["", "/fido2-test"].flatMap { prefix in
            [
                Endpoint(.post, prefix + "/attestation/options", shape: .conformance, run: creationOptions),
                Endpoint(.post, prefix + "/attestation/result", shape: .conformance, run: creationResult),
                Endpoint(.post, prefix + "/assertion/options", shape: .conformance, run: requestOptions),
                Endpoint(.post, prefix + "/assertion/result", shape: .conformance, run: requestResult),
            ]
        }
    }

    private func creationOptions(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try body(exchange)
        try await services.limits.count(.passkeyChallenges, &exchange)
        let selection = Parameters(try parameters.object("authenticatorSelection") ?? JSONObject())
        let request = Conformance.RegistrationRequest(
            username: try name("username", parameters),
            displayName: try name("displayName", parameters),
            selection: CreationOptions.AuthenticatorSelection(
                authenticatorAttachment: try selection.word("authenticatorAttachment"),
                residentKey: try selection.word("residentKey"),
                requireResidentKey: try selection.bool("requireResidentKey"),
                userVerification: try selection.word("userVerification") ?? .preferred
            ),
            attestation: try parameters.word("attestation") ?? .none,
            extensions: try parameters.object("extensions")
        )
        do throws(PasskeyError) {
            let begun = try await services.conformance.begin(request, in: exchange.context)
            return answer(begun, exchange) { begun.options.writeMembers(to: &$0) }
        } catch { throw APIError(error, at: .conformance) }
    }

    private func creationResult(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try body(exchange)
        try await services.limits.count(.token, &exchange)
        do throws(PasskeyError) {
            try await services.conformance.finishRegistration(
                response(parameters),
                session: exchange.cookie(Self.cookieName),
                in: exchange.context
            )
        } catch { throw APIError(error, at: .conformance) }
        return done()
    }

    private func requestOptions(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try body(exchange)
        try await services.limits.count(.passkeyChallenges, &exchange)
        let username = try name("username", parameters)
        let userVerification: UserVerificationRequirement = try parameters.word("userVerification") ?? .preferred
        let extensions = try parameters.object("extensions")
        do throws(PasskeyError) {
            let begun = try await services.conformance.begin(
                username: username,
                userVerification: userVerification,
                extensions: extensions,
                in: exchange.context
            )
            return answer(begun, exchange) { begun.options.writeMembers(to: &$0) }
        } catch .invalidIdentifier {
            throw APIError(400, "invalid_request", "User does not exist!", "unknown_user")
        } catch { throw APIError(error, at: .conformance) }
    }

    private func requestResult(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try body(exchange)
        try await services.limits.count(.token, &exchange)
        do throws(PasskeyError) {
            try await services.conformance.finishAuthentication(
                response(parameters),
                session: exchange.cookie(Self.cookieName),
                in: exchange.context
            )
        } catch { throw APIError(error, at: .conformance) }
        return done()
    }

    private static let cookieName = "fido_conformance"

    /// The body, where the API is on; elsewhere its paths are not there.
    private func body(_ exchange: Exchange) throws(APIError) -> Parameters {
        guard exchange.context.settings.conformanceAPI else { throw .notFound }
        return Parameters(try exchange.jsonBody())
    }

    /// A name of 1 to 64 characters.
    private func name(_ member: String, _ parameters: Parameters) throws(APIError) -> String {
        let name = try parameters.requiredString(member)
        guard (1...64).contains(name.unicodeScalars.count) else { throw .invalid(member) }
        return name
    }

    /// The response, with its extension results under the one name that WebAuthn has for them.
    private func response(_ parameters: Parameters) -> JSONObject {
        var response = parameters.object
        if response["clientExtensionResults"] == nil, let results = response["getClientExtensionResults"] {
            response["clientExtensionResults"] = results
        }
        return response
    }

    private func answer<Options>(
        _ begun: Begun<Options>,
        _ exchange: Exchange,
        _ write: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var response = HTTPResponse.json(capacity: 1024) { json in
            json.beginObject()
            json.member("status", "ok")
            json.member("errorMessage", "")
            write(&json)
            json.endObject()
        }
        let seconds = max(0, begun.expiresAt.milliseconds(since: exchange.context.now) / 1000)
        let secure = exchange.context.base.hasPrefix("https://") ? "; Secure" : ""
        response.headers.add(
            "Set-Cookie",
            "\(Self.cookieName)=\(begun.session); Path=/; HttpOnly; SameSite=Strict\(secure); Max-Age=\(seconds)"
        )
        response.headers.add("X-Ceremony-Id", begun.ceremony.text)
        return response
    }

    private func done() -> HTTPResponse {
        HTTPResponse.json(capacity: 64) { json in
            json.beginObject()
            json.member("status", "ok")
            json.member("errorMessage", "")
            json.endObject()
        }
    }
}

extension Parameters {
    /// A word of a closed list; `nil` when it is absent, or one that is not known (WebAuthn L3 §2.1.1).
    fileprivate func word<Word: RawRepresentable<String>>(_ name: String) throws(APIError) -> Word? {
        try string(name).flatMap(Word.init(rawValue:))
    }

    fileprivate func bool(_ name: String) throws(APIError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let bool = value.bool else { throw .invalid(name) }
        return bool
    }
}

extension APIError {
    /// The answer of the conformance API: tools look at `status`, and people at the message. Faults of this server are
    /// 5xx, everything else is 400 (contract 13).
    func conformanceResponse() -> HTTPResponse {
        var error = self
        // What is not there at all looks like any other path.
        guard reason != APIError.notFound.reason else { return response() }
        if status < 500, status != 429 { error.status = 400 }
        let message = reason.isEmpty ? description : "\(description) (\(reason))"
        var json = JSONWriter(capacity: 192)
        json.beginObject()
        json.member("status", "failed")
        json.member("errorMessage", message)
        json.endObject()
        return error.response(body: json.bytes)
    }
}
