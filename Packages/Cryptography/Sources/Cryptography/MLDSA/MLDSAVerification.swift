/// Verifying signatures of ML-DSA, which libcrypto 3.0 does not know.
enum MLDSAVerification {
    /// Whether `signature` is the key's over `message`, with an empty context (FIPS 204 algorithms 3 and 8, whose step
    /// numbers the comments carry).
    ///
    /// It holds a few polynomials and never the whole matrix: the memory depends on the parameter set alone.
    static func isValid(
        _ signature: ArraySlice<UInt8>,
        over message: ArraySlice<UInt8>,
        _ publicKey: [UInt8],
        _ set: MLDSAParameterSet
    ) -> Bool {
        guard publicKey.count == set.publicKeyByteCount, signature.count == set.signatureByteCount else { return false }
        // 1 and 2. The parts of the key and of the signature.
        let seed = publicKey.prefix(32)
        let commitment = signature.prefix(set.commitmentByteCount)
        guard let hints = Hints(decoding: signature.suffix(set.omega + set.k), set) else { return false }
        // 13, the first half. z is short.
        var z: [Polynomial] = []
        z.reserveCapacity(set.l)
        var rest = signature.dropFirst(set.commitmentByteCount)
        for _ in 0..<set.l {
            let part = Polynomial(unpacking: rest.prefix(set.maskByteCount), width: set.gamma1Bits + 1, top: set.gamma1)
            guard part.isBelow(set.gamma1 - set.beta) else { return false }
            z.append(part)
            rest = rest.dropFirst(set.maskByteCount)
        }
        // 6 and 7. The message's representative; 0 and 0 stand for pure ML-DSA and an empty context.
        let shake = ExtendableOutput(.shake256)
        let keyHash = shake.bytes(64, from: publicKey[...])
        let representative = shake.bytes(64, from: keyHash[...], [0, 0], message)
        // 8. The challenge.
        guard var challenge = Polynomial(challenge: commitment, tau: set.tau, shake) else { return false }
        challenge.transform()
        for index in z.indices { z[index].transform() }
        // 9 and 10. The commitment that the signature leads to, row by row.
        let matrix = MatrixSource(seed: seed)
        var commitments: [UInt8] = []
        commitments.reserveCapacity(set.k * 32 * set.highBitsWidth)
        for row in 0..<set.k {
            guard var w = matrix.row(row, times: z) else { return false }
            var t1 = Polynomial(unpackingHighPart: publicKey.dropFirst(32 + 320 * row).prefix(320))
            t1.transform()
            w.subtract(challenge * t1)
            w.map(Field.reduced)
            w.invertTransform()
            w.roundToHighBits(hints: hints.places(row: row), set.gamma2)
            Packing.pack(w, width: set.highBitsWidth, to: &commitments)
        }
        // 12 and 13. It is the one that was signed.
        return shake.bytes(set.commitmentByteCount, from: representative[...], commitments[...])[...] == commitment
    }
}

extension Polynomial {
    /// Replaces coefficients between `-q` and `q` by their high bits, as the hints correct them (algorithm 40).
    fileprivate mutating func roundToHighBits(hints: ArraySlice<UInt8>, _ gamma2: Int32) {
        var hints = hints
        var own = coefficients.mutableSpan
        for index in own.indices {
            let isHinted = hints.first.map { Int($0) == index } ?? false
            if isHinted { hints = hints.dropFirst() }
            own[index] = Field.highBits(of: Field.standard(own[index]), hint: isHinted, gamma2)
        }
    }
}
