import Encodings
import HTTPServer
import Identity
import Tenancy
import Tokens

extension APIError {
    /// A refusal of the Management API.
    ///
    /// - Parameters:
    ///   - status: of the answer.
    ///   - code: the member `errorCode`.
    ///   - message: the member `message`; may repeat what was sent, shortened.
    /// - Returns: the refusal.
    static func management(_ status: Int, _ code: String, _ message: String) -> APIError {
        APIError(status, code, message, code)
    }

    /// The shape of section 11.2, of a refusal that was made for it or of one that all APIs share.
    func managementResponse() -> HTTPResponse {
        var message = description
        var code: String? = error
        switch reason {
        case "rate_limited": message = "Global limit has been reached"
        case "invalid_json": code = "invalid_body"
        case "not_found": message = "Not Found"
        case "unsupported_media_type", "body_too_large", "method_not_allowed", "invalid_http": code = reason
        default: if status == 401 { code = nil }
        }
        var json = JSONWriter(capacity: 192)
        json.beginObject()
        json.name("statusCode")
        json.integer(status)
        json.member("error", HTTPResponse.reason(for: status))
        json.member("message", message)
        if let code { json.member("errorCode", code) }
        if !faults.isEmpty {
            json.name("faults")
            json.value(.array(faults.map { ["path": .string($0.path), "message": .string($0.message)] }))
        }
        json.endObject()
        return response(body: json.bytes)
    }
}

// MARK: Who calls

extension APIError {
    /// Why a caller was not let in (2.6, 11.2).
    static func unauthorized(_ error: TokenError, base: String) -> APIError {
        var refusal = APIError(error, base: base)
        switch error {
        case .notSignedIn: refusal.description = "Missing authentication"
        case .invalidToken: refusal.description = "Invalid token"
        case .expiredToken: refusal.description = "Expired token received for JSON Web Token validation"
        default: break
        }
        return refusal
    }

    /// A scope is missing: `expected` are those of which one, or with `all` each, is needed.
    static func insufficientScope(_ expected: [String], all: Bool, base: String) -> APIError {
        let words = all ? "expected all of" : "expected any of"
        return management(
            403,
            "insufficient_scope",
            "Insufficient scope, \(words): \(expected.joined(separator: ","))"
        ).with {
            $0.challenge =
                "Bearer realm=\"\(base)\", error=\"insufficient_scope\", scope=\"\(expected.joined(separator: " "))\""
        }
    }
}

// MARK: What was asked

extension APIError {
    static func body(_ error: DocumentError) -> APIError { management(400, "invalid_body", error.payloadMessage) }

    static func query(_ problem: String) -> APIError {
        management(400, "invalid_query_string", "Query validation error: '\(problem)'.")
    }

    static func uri(_ problem: String) -> APIError {
        management(400, "invalid_uri", "Path validation error: '\(problem)'.")
    }

    static let invalidPaging = management(
        400,
        "invalid_paging",
        "Query validation error: 'Invalid value on property from'."
    )

    /// Somebody else changed it between the reading and the writing, several times over.
    static let changedMeanwhile = management(
        409,
        "conflict",
        "It was changed by somebody else at the same time. Read it again, then try again."
    )

    /// The row of section 11 for a change that was not made.
    init(management error: TenancyError) {
        switch error {
        case .document(let error): self = .body(error)
        case .invalid(let what, let value, let problem):
            self = .management(
                400,
                "invalid_body",
                "Payload validation error: 'Invalid value \"\(value.prefix(100))\"' on property \(what). It \(problem)."
            )
        case .notBuilt(_, let sentence): self = .management(400, "operation_not_supported", sentence)
        case .notFound(let what, let name):
            self = .management(
                400,
                "invalid_body",
                "Payload validation error: the \(what) \"\(name.prefix(100))\" does not exist."
            )
        case .exists(let what, let name):
            self = .management(409, "conflict", "The \(what) \"\(name.prefix(100))\" exists already.")
        case .conflict(let sentence): self = .management(400, "invalid_body", sentence)
        case .inUse(let sentence): self = .management(409, "conflict", sentence)
        case .changedMeanwhile: self = .changedMeanwhile
        case .store(let error): self.init(error)
        }
    }
}

/// The 404 of each resource (11.2).
extension APIError {
    static let noClient = management(404, "inexistent_client", "The client does not exist")
    static let noClientGrant = management(404, "inexistent_client_grant", "The grant does not exist.")
    static let noConnection = management(404, "inexistent_connection", "The connection does not exist")
    static let noCustomDomain = management(404, "inexistent_custom_domain", "The custom domain ID does not exist")
    static let noUser = management(404, "inexistent_user", "The user does not exist.")
    static let noResourceServer = management(404, "inexistent_resource_server", "The resource server does not exist")
    static let noAuthenticationMethod = management(
        404,
        "authentication_method_not_found",
        "The authentication method does not exist."
    )
    static let nothingThere = management(404, "not_found", "Not Found")
}
