import Encodings
import HTTPServer
import Identity
import Passkeys

/// The shape of the My Account API (contract 10.7).
extension APIError {
    func accountResponse(hidingReasons: Bool = false) -> HTTPResponse {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("type", accountType)
        json.name("status")
        json.integer(Int64(status))
        json.member("title", HTTPResponse.reason(for: status))
        json.member("detail", field == nil ? description : "The provided data contains validation errors")
        if let field { write(field, to: &json) }
        if !(hidingReasons && isCeremonyReason) { json.member("reason", reason) }
        if let ceremony { json.member("trace_id", ceremony.text) }
        if let unknownCredential { Signals.write(unknownCredential, to: &json) }
        json.endObject()
        return response(body: json.bytes)
    }

    private func write(_ field: String, to json: inout JSONWriter) {
        json.name("validation_errors")
        json.beginArray()
        json.beginObject()
        json.member("detail", description)
        json.member("field", field)
        json.member("pointer", "/" + field.replacing(".", with: "/"))
        json.name("source")
        json.string("request")
        json.endObject()
        json.endArray()
    }

    private var accountType: String {
        switch status {
        case 401 where error == "insufficient_user_authentication": error
        case 401: "unauthorized_error"
        case 403 where error == "insufficient_scope": error
        case 403: "access_denied"
        case 404, 405: "not_found"
        case 409: "conflict"
        case 415: "unsupported_media_type"
        case 429: "too_many_requests"
        case 500...: "server_error"
        default: "validation_error"
        }
    }
}

// MARK: Section 10

extension APIError {
    static let methodNotEnabled = APIError(
        400,
        "invalid_request",
        "The authentication method type is not enabled",
        "method_not_enabled"
    )
    static let methodNotFound = APIError(
        404,
        "not_found",
        "The authentication method does not exist",
        "method_not_found"
    )
    static let lastMethod = APIError(
        409,
        "conflict",
        "The last authentication method cannot be deleted",
        "last_method"
    )
    static let onProbation = APIError(
        403,
        "access_denied",
        "The passkey of this sign-in is too new for this",
        "passkey_on_probation"
    )
    /// Passwords are changed by a reset, and have no name.
    static let methodIsFixed = APIError(
        403,
        "access_denied",
        "The authentication method cannot be changed here",
        "method_is_fixed"
    )
}
