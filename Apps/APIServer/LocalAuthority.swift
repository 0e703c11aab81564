import Cryptography
import HTTPServer
import Identity
import Terminal

/// The certificates of `dev --tls`: an authority of this machine alone, and a server's certificate for `localhost`.
struct LocalAuthority {
    let folder: String

    /// The file that clients are told to trust.
    var authorityPath: String { folder + "/ca.pem" }

    /// Finds certificate and key, or makes them; a certificate that ends within a month is made anew.
    func files(for names: [String], now: UnixTime) throws -> TLSFiles {
        let files = TLSFiles(certificate: folder + "/localhost.pem", key: folder + "/localhost.key")
        if isGood(files.certificate, names: names, now: now), PrivateFile.exists(files.key) { return files }
        let authorityKey = try SigningKey.generate(.p256)
        var authority = CertificateBuilder(
            subject: [(Self.organization, "Latchkey"), (Self.commonName, "Latchkey development CA")],
            notBefore: now.seconds - 3600,
            notAfter: now.seconds + 825 * 86400,
            isCA: true
        )
        authority.keyUsage = [.keyCertSign, .cRLSign]
        let authorityCertificate = try authority.selfSigned(by: authorityKey)
        let key = try SigningKey.generate(.p256)
        var server = CertificateBuilder(
            subject: [(Self.commonName, "localhost")],
            notBefore: now.seconds - 3600,
            notAfter: now.seconds + 397 * 86400
        )
        server.keyUsage = [.digitalSignature]
        server.extendedKeyUsage = [CertificateBuilder.serverAuthentication]
        server.subjectAlternativeNames =
            names.map { .dns($0) } + [.ip([127, 0, 0, 1]), .ip([UInt8](repeating: 0, count: 15) + [1])]
        let certificate = try server.signed(for: key.publicKey, by: authorityCertificate, key: authorityKey)
        // The authority's key is not kept: it has signed all that it ever will.
        try PrivateFile.write(authorityPath, authorityCertificate.pem)
        try PrivateFile.write(files.key, PEM(label: PEM.privateKey, der: key.pkcs8).text)
        try PrivateFile.write(files.certificate, certificate.pem + authorityCertificate.pem)
        return files
    }

    private func isGood(_ path: String, names: [String], now: UnixTime) -> Bool {
        guard let text = try? readSecretFile(path),
            let first = try? PEM.decode(String(decoding: text, as: UTF8.self)).first,
            let certificate = try? Certificate(der: first.der), certificate.notAfter > now.seconds + 30 * 86400
        else { return false }
        let certified = (try? certificate.subjectAlternativeNames()) ?? []
        return names.allSatisfy { certified.contains(.dns($0)) }
    }

    private static let commonName = "2.5.4.3"
    private static let organization = "2.5.4.10"
}
