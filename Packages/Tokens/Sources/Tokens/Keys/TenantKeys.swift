internal import Cryptography
internal import Encodings
internal import Identity
internal import JOSE

/// One tenant's keys as the store had them at one moment, ready for use.
struct TenantKeys: Sendable {
    /// What the store's version was before the keys were read.
    let version: Int64
    let records: [SigningKeyRecord]
    /// Of each algorithm the active key, and those that still sign until it does.
    private let signers: [TokenAlgorithm: [Signer]]
    private let verifiers: [[UInt8]: JWSKey]

    /// Opens `records` of `now`. What `old` has opened already, with its kept contexts, is taken over.
    init(
        _ records: [SigningKeyRecord],
        version: Int64,
        sealingKey: [UInt8],
        reusing old: TenantKeys?,
        now: UnixTime
    ) {
        self.version = version
        self.records = records
        var signers: [TokenAlgorithm: [Signer]] = [:]
        var verifiers: [[UInt8]: JWSKey] = [:]
        for record in records where record.state != .retired && record.revokedAt == nil {
            if let key = old?.verifier(record.id) ?? Self.verifier(record) {
                verifiers[Array(record.id.text.utf8)] = key
            }
            let stillSigns = record.state == .retiring && record.retiringAt.map { now < $0 } ?? false
            guard record.state == .active || stillSigns else { continue }
            let opened = old?.signers[record.algorithm]?.first { $0.id == record.id }
            let signer = opened?.with(record) ?? Signer(record, sealingKey: sealingKey)
            signers[record.algorithm, default: []].append(signer)
        }
        self.signers = signers
        self.verifiers = verifiers
    }

    /// The key that signs for `algorithm` at `now`; `nil` when there is none yet.
    func signer(_ algorithm: TokenAlgorithm, at now: UnixTime) -> Signer? {
        let all = signers[algorithm] ?? []
        if all.count == 1 { return all.first }
        return all.first { $0.signs(at: now) } ?? all.first { $0.isActive }
    }

    /// The key that `id` names, unless it is retired or revoked. It alone fixes the algorithm.
    func verifier(_ id: KeyID) -> JWSKey? { verifiers[Array(id.text.utf8)] }

    private static func verifier(_ record: SigningKeyRecord) -> JWSKey? {
        guard let algorithm = JWSAlgorithm(rawValue: record.algorithm.rawValue),
            let key = try? VerifyingKey(subjectPublicKeyInfo: record.publicKey)
        else { return nil }
        return try? JWSKey(key, algorithm, keyID: record.id.text)
    }
}

/// A key that signs, in its time.
struct Signer: Sendable {
    let id: KeyID
    let isActive: Bool
    private let from: UnixTime?
    private let until: UnixTime?
    /// The longest life of a token that the store knows it may have signed, in seconds.
    let tokenLifetime: Int64
    /// RSA takes close to a millisecond, and never runs on an event loop.
    let isSlow: Bool
    /// What a key that cannot be opened answers is known when it is needed, so that it hinders nothing else.
    private let signer: Result<JWTSigner, SignerFault>

    private struct SignerFault: Error {
        let reason: String
    }

    /// The same key, by a newer row.
    func with(_ record: SigningKeyRecord) -> Signer { Signer(record, signer) }

    /// Whether this moment is between its activation and its retirement.
    func signs(at now: UnixTime) -> Bool {
        (from.map { $0 <= now } ?? true) && (until.map { now < $0 } ?? true)
    }

    private init(_ record: SigningKeyRecord, _ signer: Result<JWTSigner, SignerFault>) {
        id = record.id
        isActive = record.state == .active
        from = record.activatedAt
        until = record.state == .active ? nil : record.retiringAt
        tokenLifetime = record.tokenLifetime
        isSlow = record.algorithm == .rs256 || record.algorithm == .ps256
        self.signer = signer
    }

    init(_ record: SigningKeyRecord, sealingKey: [UInt8]) {
        self.init(record, Self.open(record, sealingKey: sealingKey))
    }

    private static func open(
        _ record: SigningKeyRecord,
        sealingKey: [UInt8]
    ) -> Result<JWTSigner, SignerFault> {
        guard let algorithm = JWSAlgorithm(rawValue: record.algorithm.rawValue) else {
            return .failure(SignerFault(reason: "key \(record.id.text) has an algorithm that signs nothing here"))
        }
        do throws(CryptographyError) {
            let key = try NewSigningKey.open(record, sealingKey: sealingKey)
            guard key.publicKey.subjectPublicKeyInfo == record.publicKey else { throw .notAuthentic }
            return Result { () throws(SignerFault) in
                do throws(JOSEError) {
                    return try JWTSigner(keyID: record.id.text, algorithm: algorithm, key: key)
                } catch {
                    throw SignerFault(reason: "key \(record.id.text) does not fit \(algorithm.rawValue): \(error)")
                }
            }
        } catch {
            return .failure(
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
