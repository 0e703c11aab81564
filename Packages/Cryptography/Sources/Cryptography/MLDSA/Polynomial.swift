/// A polynomial of degree 255 over the field of ML-DSA, or its transform (FIPS 204 §2.3, §7.5).
struct Polynomial: Sendable {
    static let count = 256

    /// The coefficient of the lowest power first.
    var coefficients = InlineArray<256, Int32>(repeating: 0)

    @inline(__always)
    subscript(_ index: Int) -> Int32 {
        get { coefficients[index] }
        set { coefficients[index] = newValue }
    }

    // Loops go over spans: a subscript of an inline array in a loop copies all of it each time.

    /// Replaces each coefficient.
    @inline(__always)
    mutating func map(_ change: (Int32) -> Int32) {
        var own = coefficients.mutableSpan
        for index in own.indices { own[index] = change(own[index]) }
    }

    /// Adds the other's coefficients.
    mutating func add(_ other: Polynomial) {
        let other = other.coefficients.span
        var own = coefficients.mutableSpan
        for index in own.indices { own[index] &+= other[index] }
    }

    /// Takes the other's coefficients away.
    mutating func subtract(_ other: Polynomial) {
        let other = other.coefficients.span
        var own = coefficients.mutableSpan
        for index in own.indices { own[index] &-= other[index] }
    }

    /// The product of two transforms, divided by 2^32: what `invertTransform` makes good.
    static func * (a: Polynomial, b: Polynomial) -> Polynomial {
        var product = Polynomial()
        product.addProduct(a, b)
        return product
    }

    /// Adds the product of two transforms, divided by 2^32.
    mutating func addProduct(_ a: Polynomial, _ b: Polynomial) {
        let a = a.coefficients.span
        let b = b.coefficients.span
        var own = coefficients.mutableSpan
        for index in own.indices { own[index] &+= Field.montgomery(Int64(a[index]) &* Int64(b[index])) }
    }

    /// Whether every coefficient, between `-q` and `q`, lies between `-bound` and `bound`, ends excluded.
    ///
    /// All are looked at, whatever they are.
    func isBelow(_ bound: Int32) -> Bool {
        var excess: Int32 = 0
        let own = coefficients.span
        for index in own.indices {
            let sign = own[index] >> 31
            excess |= bound &- 1 &- ((own[index] ^ sign) &- sign)
        }
        return excess >= 0
    }
}

extension Polynomial {
    /// Transforms coefficients between `-q` and `q`; the results lie between `-9q` and `9q` (algorithm 41).
    mutating func transform() {
        let zetas = Self.zetas
        let factors = zetas.span
        var own = coefficients.mutableSpan
        var next = 0
        var length = 128
        while length > 0 {
            var start = 0
            while start < Self.count {
                next &+= 1
                let zeta = Int64(factors[next])
                for low in start..<start &+ length {
                    let high = low &+ length
                    let product = Field.montgomery(zeta &* Int64(own[high]))
                    let sum = own[low]
                    own[high] = sum &- product
                    own[low] = sum &+ product
                }
                start &+= 2 &* length
            }
            length >>= 1
        }
    }

    /// Transforms back and multiplies by 2^32; coefficients lie between `-q` and `q`, before and after (algorithm 42).
    mutating func invertTransform() {
        let zetas = Self.zetas
        let factors = zetas.span
        var own = coefficients.mutableSpan
        var next = 256
        var length = 1
        while length < Self.count {
            var start = 0
            while start < Self.count {
                next &-= 1
                let zeta = -Int64(factors[next])
                for low in start..<start &+ length {
                    let high = low &+ length
                    let first = own[low]
                    let second = own[high]
                    own[low] = first &+ second
                    own[high] = Field.montgomery(zeta &* Int64(first &- second))
                }
                start &+= 2 &* length
            }
            length <<= 1
        }
        for index in own.indices { own[index] = Field.montgomery(Int64(Self.scale) &* Int64(own[index])) }
    }

    /// `2^64 / 256` modulo `q`.
    private static let scale: Int32 = 41_978

    /// The powers of 1753 in the order of appendix B, times 2^32, between `-q/2` and `q/2`.
    private static let zetas: InlineArray<256, Int32> = {
        var powers: [Int64] = [Int64(1 << 32) % Int64(Field.q)]
        for _ in 1..<256 { powers.append(powers[powers.count - 1] * 1753 % Int64(Field.q)) }
        return InlineArray { index in
            let power = powers[Int(UInt8(index).bitReversed)]
            return Int32(power > Int64(Field.q) / 2 ? power - Int64(Field.q) : power)
        }
    }()
}

extension UInt8 {
    fileprivate var bitReversed: UInt8 {
        (0..<8).reduce(into: 0) { result, bit in result |= ((self >> bit) & 1) << (7 - bit) }
    }
}
