public import Cryptography

/// A root certificate that attestation chains may end at. Two are equal when their DER bytes are.
public struct TrustAnchor: Hashable, Sendable {
    public let certificate: Certificate

    public init(_ certificate: Certificate) {
        self.certificate = certificate
    }

    /// Parses one X.509 certificate.
    public init(der: ArraySlice<UInt8>) throws(CryptographyError) {
        self.certificate = try Certificate(der: der)
    }

    public static func == (a: TrustAnchor, b: TrustAnchor) -> Bool {
        a.certificate.der == b.certificate.der
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(certificate.der)
    }
}
