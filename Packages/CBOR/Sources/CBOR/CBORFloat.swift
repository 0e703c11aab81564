/// A floating-point number in the width that it came in, because CTAP2 does not change it.
///
/// Equal are numbers of the same width with the same bits, so that a NaN equals itself.
public struct CBORFloat: Hashable, Sendable {
    public enum Width: Hashable, Sendable {
        case half
        case single
        case double
    }

    public let width: Width

    /// The IEEE 754 bits, in the low 16, 32 or 64.
    public let bits: UInt64

    init(width: Width, bits: UInt64) {
        self.width = width
        self.bits = bits
    }

    /// A number in double precision.
    public init(_ value: Double) {
        self.init(width: .double, bits: value.bitPattern)
    }

    /// The number, exactly.
    public var value: Double {
        switch width {
        case .half: Self.double(half: UInt16(truncatingIfNeeded: bits))
        case .single: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case .double: Double(bitPattern: bits)
        }
    }

    /// RFC 8949 appendix D.
    private static func double(half: UInt16) -> Double {
        let exponent = Int(half >> 10 & 31)
        let mantissa = Double(half & 1023)
        let magnitude: Double
        switch exponent {
        case 0: magnitude = mantissa * 0x1p-24
        case 31: magnitude = mantissa == 0 ? .infinity : .nan
        default: magnitude = Double(sign: .plus, exponent: exponent - 25, significand: mantissa + 1024)
        }
        return half & 0x8000 == 0 ? magnitude : -magnitude
    }

    func append(to output: inout [UInt8]) {
        switch width {
        case .half:
            output.append(0xf9)
            CBORHead.appendBytes(of: bits, width: 2, to: &output)
        case .single:
            output.append(0xfa)
            CBORHead.appendBytes(of: bits, width: 4, to: &output)
        case .double:
            output.append(0xfb)
            CBORHead.appendBytes(of: bits, width: 8, to: &output)
        }
    }
}
