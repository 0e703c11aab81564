internal import CCrypto

/// A private key of ML-DSA: its seed, and what signing makes of it.
///
/// `@unchecked Sendable`: nothing is changed after `init`.
final class MLDSAPrivateKey: @unchecked Sendable {
    let set: MLDSAParameterSet
    let publicKey: [UInt8]
    private let seed: SecretBytes
    /// `K`.
    private let randomizer: SecretBytes
    /// `tr`.
    private let publicKeyHash: [UInt8]
    // As transforms.
    private var s1: [Polynomial] = []
    private var s2: [Polynomial] = []
    private var t0: [Polynomial] = []

    deinit {
        s1.erase()
        s2.erase()
        t0.erase()
    }

    /// The key of a seed of 32 bytes (FIPS 204 algorithm 6).
    ///
    /// - Throws: `CryptographyError.invalidLength`.
    init(seed: consuming [UInt8], _ set: MLDSAParameterSet) throws(CryptographyError) {
        guard seed.count == MLDSAParameterSet.seedByteCount else {
            throw .invalidLength(what: "\(set.rawValue) seed", got: seed.count)
        }
        self.set = set
        let shake = ExtendableOutput(.shake256)
        var expanded = shake.bytes(128, from: seed[...], [UInt8(set.k), UInt8(set.l)])
        defer { Cryptography.erase(&expanded) }
        let matrixSeed = expanded.prefix(32)
        let secretSeed = expanded[32..<96]
        randomizer = SecretBytes(Array(expanded.suffix(32)))
        self.seed = SecretBytes(seed)
        for number in 0..<set.l + set.k {
            guard let part = Polynomial(secret: secretSeed, number: number, eta: set.eta, shake) else {
                throw .invalidKey("\(set.rawValue) seed that gives no key")
            }
            if number < set.l { s1.append(part) } else { s2.append(part) }
        }
        for index in s1.indices { s1[index].transform() }

        var encoded = Array(matrixSeed)
        encoded.reserveCapacity(set.publicKeyByteCount)
        let matrix = MatrixSource(seed: matrixSeed)
        for row in 0..<set.k {
            guard var t = matrix.row(row, times: s1) else {
                throw .invalidKey("\(set.rawValue) seed that gives no key")
            }
            t.map(Field.reduced)
            t.invertTransform()
            t.add(s2[row])
            t.map { Field.standard(Field.reduced($0)) }
            Packing.pack(t, width: 10, to: &encoded) { Field.power2Round($0).high }
            t.map { Field.power2Round($0).low }
            t.transform()
            t0.append(t)
        }
        for index in s2.indices { s2[index].transform() }
        publicKey = encoded
        publicKeyHash = shake.bytes(64, from: encoded[...])
    }

    /// Lends the seed to `body`, which must not keep it.
    func withSeed<Result, Failure: Error>(
        _ body: (ArraySlice<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try seed.withBytes(body)
    }

    /// Signs `message` with an empty context (algorithms 2 and 7, whose step numbers the comments carry).
    ///
    /// - Parameters:
    ///   - message: the message itself.
    ///   - randomness: 32 bytes; zeros make the deterministic variant.
    /// - Returns: the signature.
    /// - Throws: `CryptographyError.library` when no attempt succeeds, which less than one key in 2^256 sees.
    func sign(_ message: ArraySlice<UInt8>, randomness: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let shake = ExtendableOutput(.shake256)
        // 6 and 7. The message's representative, and the seed of the masks.
        let representative = shake.bytes(64, from: publicKeyHash[...], [0, 0], message)
        var maskSeed = randomizer.withBytes { shake.bytes(64, from: $0, randomness[...], representative[...]) }
        defer { Cryptography.erase(&maskSeed) }
        // 10 to 32. The limit is that of appendix C.
        for number in 0..<814 {
            if let signature = candidate(number, maskSeed, representative, shake) { return signature }
        }
        throw .library(operation: "signing with \(set.rawValue)", reason: "no attempt succeeded")
    }

    private func candidate(
        _ attempt: Int,
        _ maskSeed: [UInt8],
        _ representative: [UInt8],
        _ shake: borrowing ExtendableOutput
    ) -> [UInt8]? {
        // 11. The mask.
        var y: [Polynomial] = []
        for number in 0..<set.l {
            y.append(Polynomial(mask: maskSeed[...], number: attempt * set.l + number, set, shake))
        }
        var transformed = y
        for index in y.indices { transformed[index].transform() }
        defer {
            y.erase()
            transformed.erase()
        }
        // 12 to 15. The commitment, and its hash.
        let matrix = MatrixSource(seed: publicKey.prefix(32))
        var w: [Polynomial] = []
        var commitments: [UInt8] = []
        for row in 0..<set.k {
            guard var product = matrix.row(row, times: transformed) else { return nil }
            product.map(Field.reduced)
            product.invertTransform()
            product.map(Field.standard)
            w.append(product)
            Packing.pack(product, width: set.highBitsWidth, to: &commitments) { Field.decompose($0, set.gamma2).high }
        }
        let commitment = shake.bytes(set.commitmentByteCount, from: representative[...], commitments[...])
        // 16 and 17. The challenge.
        guard var challenge = Polynomial(challenge: commitment[...], tau: set.tau, shake) else { return nil }
        challenge.transform()
        // 18, 20 and 23. z is short enough to say nothing of the key.
        var signature = commitment
        for index in y.indices {
            var z = challenge * s1[index]
            z.invertTransform()
            z.add(y[index])
            z.map(Field.reduced)
            guard z.isBelow(set.gamma1 - set.beta) else { return nil }
            Packing.pack(z, width: set.gamma1Bits + 1, to: &signature) { set.gamma1 &- $0 }
        }
        // 19, 21, 23 and 25 to 28. So are the low bits, and the hints are few.
        var hints: [[UInt8]] = []
        for row in 0..<set.k {
            var cs2 = challenge * s2[row]
            cs2.invertTransform()
            w[row].subtract(cs2)
            w[row].map { Field.standard(Field.reduced($0)) }
            var low = w[row]
            low.map { Field.decompose($0, set.gamma2).low }
            guard low.isBelow(set.gamma2 - set.beta) else { return nil }
            var ct0 = challenge * t0[row]
            ct0.invertTransform()
            ct0.map(Field.reduced)
            guard ct0.isBelow(set.gamma2) else { return nil }
            var places: [UInt8] = []
            for index in 0..<Polynomial.count {
                let corrected = Field.standard(Field.reduced(w[row][index] &+ ct0[index]))
                if Field.decompose(corrected, set.gamma2).high != Field.decompose(w[row][index], set.gamma2).high {
                    places.append(UInt8(index))
                }
            }
            hints.append(places)
        }
        guard let encoded = Hints.encode(hints, set) else { return nil }
        return signature + encoded
    }
}

extension [Polynomial] {
    /// Overwrites the coefficients with zeros, which the compiler cannot leave out.
    fileprivate mutating func erase() {
        unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
