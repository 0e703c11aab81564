import Encodings
import Identity
import Passkeys

/// A recovery code compared, and its try counted, the same for applications and on the hosted pages (contract 1.4, 9.5).
struct RecoveryCheck {
    let services: APIServices
    let surface: CeremonySurface

    /// What a request brings: in `code` that of a mail, or in `recovery_code` a printed one.
    ///
    /// - Throws: `missing_parameter`; `invalid_parameter` for both at once.
    static func code(_ parameters: Parameters) throws(APIError) -> RecoveryRequest.Code {
        let printed = try parameters.string("recovery_code")
        guard let mailed = try parameters.string("code") else {
            guard let printed else { throw .missing("code") }
            return .printed(printed)
        }
        guard printed == nil else { throw .invalid("recovery_code") }
        return .mailed(mailed)
    }

    /// - Parameters:
    ///   - code: as typed.
    ///   - session: of the recovery, whatever came.
    ///   - client: who asks; `nil`: the server's own page, in the browser that asked.
    ///   - exchange: the request.
    /// - Returns: whose account it is.
    /// - Throws: `recovery_code_invalid`, `rate_limited`, and what the switches refuse.
    func prove(
        _ code: RecoveryRequest.Code,
        session: String,
        client: Client?,
        _ exchange: inout Exchange
    ) async throws(APIError) -> Recovery.Leave {
        let context = exchange.context
        var leave: Recovery.Leave?
        let found = try await open(session, client, exchange)
        let counted = try await services.limits.countCode(of: found?.name, &exchange)
        do throws(PasskeyError) {
            if let found {
                leave = try await services.recoveryRequest.prove(code, for: found, at: surface, in: context)
            }
        } catch {
            await services.limits.takeBack(counted, wasRight: false)
            throw APIError(error, at: .passkey)
        }
        guard let leave else {
            note(exchange)
            throw .recoveryCodeInvalid
        }
        await services.limits.takeBack(counted, wasRight: true)
        return leave
    }

    private func open(
        _ session: String,
        _ client: Client?,
        _ exchange: Exchange
    ) async throws(APIError) -> RecoveryRequest.Open? {
        let found: RecoveryRequest.Open?
        do throws(PasskeyError) {
            found = try await services.recoveryRequest.open(session, in: exchange.context)
        } catch { throw APIError(error, at: .passkey) }
        return client == nil || found?.client == client?.id ? found : nil
    }

    private func note(_ exchange: Exchange) {
        let context = exchange.context
        services.ceremonies.refusals.add(
            AuditEvent(
                tenant: context.tenant,
                types: ["recovery_failed"],
                at: context.now,
                client: exchange.client?.id,
                device: context.device,
                details: ["reason": "recovery_code_invalid"]
            )
        )
    }
}
