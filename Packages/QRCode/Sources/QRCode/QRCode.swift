internal import CQREncode

/// The QR code of a text (ISO/IEC 18004), in the smallest version that holds it at error correction level M, which reads
/// with 15 % of the square lost.
public struct QRCode: Hashable, Sendable {
    /// How many modules a side has, without the quiet zone: 21 to 177.
    public let size: Int
    /// Row after row, whether a module is dark.
    private let modules: [Bool]

    /// Modules of light around the square, without which no camera finds it.
    public static let quietZone = 4
    /// Bytes that the largest version holds at level M.
    public static let maximumLength = 2331

    /// - Parameter text: 1 to ``maximumLength`` characters of ASCII, as every URI has, and no zero. What other characters
    ///   mean, readers guess.
    /// - Throws: ``QRCodeError``.
    public init(_ text: String) throws(QRCodeError) {
        var bytes = Array(text.utf8)
        guard 1...Self.maximumLength ~= bytes.count, bytes.allSatisfy({ 1..<0x80 ~= $0 }) else {
            throw QRCodeError(length: bytes.count)
        }
        let count = bytes.count
        let made = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe QRcode_encodeData(CInt(count), bytes.baseAddress, 0, QR_ECLEVEL_M)
        }
        guard let made = unsafe made else { throw QRCodeError(length: count) }
        defer { unsafe QRcode_free(made) }
        size = unsafe Int(made.pointee.width)
        // The lowest bit of each byte is the colour.
        modules = unsafe UnsafeBufferPointer(start: made.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark; what lies outside, as the quiet zone does, is not.
    public func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }
}

/// A text that no QR code holds: an empty one, one that is not ASCII, or one that is too long.
public struct QRCodeError: Error, Hashable, Sendable {
    /// Bytes of the text.
    public let length: Int
}

extension QRCodeError: CustomStringConvertible {
    public var description: String {
        "A QR code holds 1 to \(QRCode.maximumLength) characters of ASCII; this text has \(length) bytes, or others."
    }
}
