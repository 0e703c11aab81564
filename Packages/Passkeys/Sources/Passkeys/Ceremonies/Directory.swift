internal import Identity

extension RequestContext {
    /// The connection that `realm` names, or that requests without one mean.
    ///
    /// - Throws: `.unknownConnection` or `.noDefaultDirectory`.
    func directory(realm: String?, for client: Client) throws(PasskeyError) -> Connection {
        do throws(DirectoryError) {
            return try connection(realm: realm, for: client)
        } catch {
            switch error {
            case .unknownConnection: throw .unknownConnection
            case .noDefaultDirectory: throw .noDefaultDirectory
            }
        }
    }

    /// Lets only clients through that may use passkeys at all.
    ///
    /// - Throws: `.grantNotAllowed` or `.clientNotFirstParty`.
    func checkMayUsePasskeys(_ client: Client, at surface: CeremonySurface) throws(PasskeyError) {
        // On the server's own pages nothing of it is in the client's hands.
        guard surface != .hosted else { return }
        // The grant is for signing in by passkey at the token endpoint.
        guard surface == .browser || surface == .account || client.allows(.webAuthn) else { throw .grantNotAllowed }
        guard client.isFirstParty, client.oidcConformant else { throw .clientNotFirstParty }
    }

    /// Checks the switches of tenant and connection, as they are now.
    ///
    /// - Throws: `.passkeysDisabledForTenant`, `.passkeysDisabledForConnection` or `.customDomainRequired`.
    func checkSwitches(_ connection: Connection, at surface: CeremonySurface) throws(PasskeyError) {
        guard settings.passkeysEnabled else { throw .passkeysDisabledForTenant }
        guard connection.options.passkeysEnabled else { throw .passkeysDisabledForConnection }
        if surface == .token, settings.passkeysRequireCustomDomain, domain.isCanonical { throw .customDomainRequired }
    }
}

extension String {
    /// Byte for byte: `==` would take two spellings of one character for the same.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
