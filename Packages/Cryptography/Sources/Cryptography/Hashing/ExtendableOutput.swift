internal import CCrypto

/// SHAKE128 or SHAKE256 (FIPS 202 §6.2), whose output has any length. One context serves one output after another.
@safe struct ExtendableOutput: ~Copyable {
    enum Function {
        case shake128, shake256
    }

    private static let fetchedSHAKE128 = unsafe Fetched(EVP_MD_fetch(nil, "SHAKE128", nil), "SHAKE128")
    private static let fetchedSHAKE256 = unsafe Fetched(EVP_MD_fetch(nil, "SHAKE256", nil), "SHAKE256")

    private let function: Fetched
    private let context: OpaquePointer

    init(_ function: Function) {
        self.function =
            switch function {
            case .shake128: Self.fetchedSHAKE128
            case .shake256: Self.fetchedSHAKE256
            }
        // Only an allocation can fail here.
        guard let context = unsafe EVP_MD_CTX_new() else { fatalError("libcrypto cannot hash: out of memory") }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Overwrites all of `output` with what `first`, `second` and `third`, joined, give.
    func fill(
        _ output: inout [UInt8],
        from first: ArraySlice<UInt8>,
        _ second: ArraySlice<UInt8> = [],
        _ third: ArraySlice<UInt8> = []
    ) {
        var code = unsafe EVP_DigestInit_ex2(context, function.pointer, nil)
        for part in [first, second, third] where code == 1 && !part.isEmpty {
            code = unsafe part.withUnsafeBufferPointer { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        }
        if code == 1 {
            code = unsafe output.withUnsafeMutableBufferPointer {
                unsafe EVP_DigestFinalXOF(context, $0.baseAddress, $0.count)
            }
        }
        // Only an allocation can fail here; a wrong hash must never leave this function.
        guard code == 1 else { fatalError("libcrypto cannot hash: out of memory") }
    }

    /// `count` bytes of what `first`, `second` and `third`, joined, give.
    func bytes(
        _ count: Int,
        from first: ArraySlice<UInt8>,
        _ second: ArraySlice<UInt8> = [],
        _ third: ArraySlice<UInt8> = []
    ) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        fill(&output, from: first, second, third)
        return output
    }
}
