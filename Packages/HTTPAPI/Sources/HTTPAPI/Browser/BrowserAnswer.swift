import Encodings

/// What a page or app sends to `/register/verify` and `/login/verify`: the response object itself, or in `response` or
/// `credential` (contract 12.2).
struct BrowserAnswer {
    let response: JSONObject
    /// `auth_session` in the body.
    let session: String?
    let clientID: String?
    let realm: String?
    let scope: String?

    init(_ body: JSONObject) throws(APIError) {
        let parameters = Parameters(body)
        session = try parameters.string("auth_session")
        clientID = try parameters.string("client_id")
        realm = try parameters.string("realm")
        scope = try parameters.string("scope")
        if let credential = try parameters.object("credential") {
            response = credential
        } else if let inner = try parameters.object("response") {
            response = inner["clientDataJSON"] == nil ? inner : body
        } else {
            throw .missing("response")
        }
    }

    /// The challenge inside `clientDataJSON`, as text, when it can be read: the last way to find the session.
    var challenge: String? {
        guard let inner = response["response"]?.object, let text = inner["clientDataJSON"]?.string,
            let bytes = try? Base64URL.decode(text, padding: .optional),
            let clientData = try? JSON.parse(bytes[...], allowingBOM: true)
        else { return nil }
        return clientData.object?["challenge"]?.string
    }
}
