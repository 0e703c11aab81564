internal import Cryptography
internal import Encodings
internal import Identity
internal import JOSE

/// One tenant's keys as the store had them at one moment, ready for use.
struct TenantKeys: Sendable {
    /// What the store's version was before the keys were read.
    let version: Int64
    let records: [SigningKeyRecord]
    private let signers: [TokenAlgorithm: Signer]
    private let verifiers: [[UInt8]: JWSKey]

    /// Opens `records`. What `old` has opened already, with its kept contexts, is taken over.
    init(_ records: [SigningKeyRecord], version: Int64, sealingKey: [UInt8], reusing old: TenantKeys?) {
        self.version = version
        self.records = records
        var signers: [TokenAlgorithm: Signer] = [:]
        var verifiers: [[UInt8]: JWSKey] = [:]
        for record in records where record.state != .retired && record.revokedAt == nil {
            if let key = old?.verifier(record.id) ?? Self.verifier(record) {
                verifiers[Array(record.id.text.utf8)] = key
            }
            guard record.state == .active else { continue }
            if let signer = old?.signers[record.algorithm], signer.id == record.id {
                signers[record.algorithm] = signer
            } else {
                signers[record.algorithm] = Signer(record, sealingKey: sealingKey)
            }
        }
        self.signers = signers
        self.verifiers = verifiers
    }

    /// The active key for `algorithm`; `nil` when there is none yet.
    func signer(_ algorithm: TokenAlgorithm) -> Signer? { signers[algorithm] }

    /// The key that `id` names, unless it is retired or revoked. It alone fixes the algorithm.
    func verifier(_ id: KeyID) -> JWSKey? { verifiers[Array(id.text.utf8)] }

    private static func verifier(_ record: SigningKeyRecord) -> JWSKey? {
        guard let algorithm = JWSAlgorithm(rawValue: record.algorithm.rawValue),
            let key = try? VerifyingKey(subjectPublicKeyInfo: record.publicKey)
        else { return nil }
        return try? JWSKey(key, algorithm, keyID: record.id.text)
    }
}

/// An active key that signs.
struct Signer: Sendable {
    let id: KeyID
    /// RSA takes close to a millisecond, and never runs on an event loop.
    let isSlow: Bool
    /// What a key that cannot be opened answers is known when it is needed, so that it hinders nothing else.
    private let signer: Result<JWTSigner, SignerFault>

    private struct SignerFault: Error {
        let reason: String
    }

    init(_ record: SigningKeyRecord, sealingKey: [UInt8]) {
        id = record.id
        isSlow = record.algorithm == .rs256 || record.algorithm == .ps256
        guard let algorithm = JWSAlgorithm(rawValue: record.algorithm.rawValue) else {
            signer = .failure(SignerFault(reason: "key \(record.id.text) has an algorithm that signs nothing here"))
            return
        }
        do throws(CryptographyError) {
            let key = try NewSigningKey.open(record, sealingKey: sealingKey)
            guard key.publicKey.subjectPublicKeyInfo == record.publicKey else { throw .notAuthentic }
            signer = Result { () throws(SignerFault) in
                do throws(JOSEError) {
                    return try JWTSigner(keyID: record.id.text, algorithm: algorithm, key: key)
                } catch {
                    throw SignerFault(reason: "key \(record.id.text) does not fit \(algorithm.rawValue): \(error)")
                }
            }
        } catch {
            signer = .failure(
                SignerFault(reason: "key \(record.id.text) cannot be opened with this deployment's data key: \(error)")
            )
        }
    }

    /// Whether it can sign at all.
    func check() throws(TokenError) {
        if case .failure(let fault) = signer { throw .keys(reason: fault.reason) }
    }

    func sign(_ claims: [UInt8], type: String) throws(TokenError) -> String {
        switch signer {
        case .failure(let fault): throw .keys(reason: fault.reason)
        case .success(let signer):
            do throws(JOSEError) {
                return try signer.sign(claims: claims, type: type)
            } catch {
                throw .keys(reason: "key \(id.text) cannot sign: \(error)")
            }
        }
    }
}
