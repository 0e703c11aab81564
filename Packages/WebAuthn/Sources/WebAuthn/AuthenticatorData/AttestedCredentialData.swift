internal import CBOR
public import COSE
internal import Cryptography

/// A new credential, as authenticator data holds it (WebAuthn L3 §6.5.1).
public struct AttestedCredentialData: Hashable, Sendable {
    public let aaguid: AAGUID
    /// 1 to 1023 bytes.
    public let credentialID: [UInt8]
    /// The `COSE_Key`, its own bytes exactly.
    public let publicKey: [UInt8]
    /// What `alg` of the key says.
    public let algorithm: COSEAlgorithm
    /// The key; `nil` when its algorithm is not one that this build takes for credentials.
    public let key: COSEKey?

    init(reading reader: inout ByteReader) throws(ResponseError) {
        let member = reader.member
        guard let aaguid = AAGUID(try reader.take(16, "the AAGUID")) else {
            throw ResponseError(member, .malformed(reason: "the AAGUID"))
        }
        self.aaguid = aaguid
        let count = try reader.take(2, "the length of the credential id").reduce(0) { $0 << 8 | Int($1) }
        // 7.1 step 25. An empty id could never be looked up.
        guard count > 0 else { throw ResponseError(member, .malformed(reason: "the credential id is empty")) }
        guard count <= CredentialID.limit else {
            throw ResponseError(member, .malformed(reason: "a credential id of \(count) bytes"))
        }
        credentialID = Array(try reader.take(count, "the credential id"))
        let (map, bytes) = try reader.map("the public key")
        publicKey = Array(bytes)
        guard let number = map[3]?.integer, let number = Int(exactly: number) else {
            throw ResponseError(member, .malformed(reason: "the public key has no alg"))
        }
        algorithm = COSEAlgorithm(rawValue: number)
        guard algorithm.signatureAlgorithm != nil, algorithm != .rs1 else {
            // What cannot have been offered is refused where the algorithm is judged. RS1 signs attestations alone.
            key = nil
            return
        }
        do throws(COSEError) {
            // The key is imported here: one that no signature can be verified with would lock its user out.
            let key = try COSEKey(map, decodedFrom: bytes)
            // In a WebAuthn credential, EdDSA is Ed25519 alone (§5.8.5).
            guard algorithm != .edDSA || key.signatureAlgorithm == .ed25519 else {
                throw COSEError.unsupported(.crv, value: 7)
            }
            self.key = key
        } catch {
            throw ResponseError(member, .malformed(reason: "the public key: \(error)"))
        }
    }
}
