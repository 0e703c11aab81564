import Encodings
import YAML

/// A file with its `##NAME##` and `@@NAME@@` filled in, which still knows where everything stood as it was written.
struct FilledText {
    private(set) var bytes: [UInt8] = []
    /// Names that have no value, each with its first place.
    private(set) var missing: [(name: String, position: YAMLPosition)] = []
    private var pieces: [Piece] = []

    /// A stretch of the filled text: where it begins, and where it comes from.
    private struct Piece {
        var filled: YAMLPosition
        var written: YAMLPosition
        /// Whether it stands in the place of a marker, so that all of it comes from there.
        var isValue: Bool
    }

    /// `##NAME##` becomes the variable's text as it is, `@@NAME@@` its JSON: the value when it is JSON already, else a
    /// string; quotes directly around that marker go with it. Comments stay as they are.
    init(_ written: [UInt8], _ environment: [String: String]) {
        var (source, target) = (YAMLPosition(line: 1, column: 1), YAMLPosition(line: 1, column: 1))
        var index = written.startIndex
        var isComment = false
        var isLineStart = true
        pieces.append(Piece(filled: target, written: source, isValue: false))
        func isQuote(_ place: Int) -> Bool {
            written.indices.contains(place) && (written[place] == 0x22 || written[place] == 0x27)
        }
        while index < written.endIndex {
            let byte = written[index]
            let marker = Self.marker(written, index)
            if isLineStart, byte != 0x20, byte != 0x09 {
                isLineStart = false
                isComment = byte == UInt8(ascii: "#") && marker == nil
            }
            guard !isComment, let marker else {
                bytes.append(byte)
                Self.advance(&source, byte)
                Self.advance(&target, byte)
                if byte == 0x0A { (isLineStart, isComment) = (true, false) }
                index += 1
                continue
            }
            let value = environment[marker.name]
            if value == nil, !missing.contains(where: { $0.name == marker.name }) {
                missing.append((marker.name, source))
            }
            var end = marker.end
            var replacement = Array((value ?? "").utf8)
            if marker.isJSON {
                replacement = ((value.flatMap { try? JSON.parse($0) }) ?? .string(value ?? "")).serialized()
                if isQuote(index - 1), isQuote(end), written[index - 1] == written[end] {
                    bytes.removeLast()
                    target.column -= 1
                    end += 1
                }
            }
            pieces.append(Piece(filled: target, written: source, isValue: true))
            for byte in replacement { Self.advance(&target, byte) }
            bytes += replacement
            for byte in written[index..<end] { Self.advance(&source, byte) }
            pieces.append(Piece(filled: target, written: source, isValue: false))
            index = end
        }
    }

    /// Where something of the filled text stands in the file as written.
    func written(_ position: YAMLPosition) -> YAMLPosition {
        func isAfter(_ piece: Piece) -> Bool {
            (piece.filled.line, piece.filled.column) > (position.line, position.column)
        }
        guard let piece = pieces.last(where: { !isAfter($0) }) else { return position }
        if piece.isValue { return piece.written }
        guard position.line == piece.filled.line else {
            return YAMLPosition(line: piece.written.line + position.line - piece.filled.line, column: position.column)
        }
        return YAMLPosition(
            line: piece.written.line,
            column: piece.written.column + position.column - piece.filled.column
        )
    }

    private static func advance(_ position: inout YAMLPosition, _ byte: UInt8) {
        if byte == 0x0A {
            position.line += 1
            position.column = 1
        } else if byte & 0xC0 != 0x80 {
            position.column += 1
        }
    }

    /// The marker that begins at `start`, if one does.
    private static func marker(_ bytes: [UInt8], _ start: Int) -> (name: String, isJSON: Bool, end: Int)? {
        let sign = bytes[start]
        guard sign == UInt8(ascii: "#") || sign == UInt8(ascii: "@"), bytes.count > start + 4, bytes[start + 1] == sign
        else { return nil }
        let name = bytes[(start + 2)...].prefix {
            0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "_")
        }
        guard !name.isEmpty, bytes.count > name.endIndex + 1, bytes[name.endIndex] == sign,
            bytes[name.endIndex + 1] == sign
        else { return nil }
        return (String(decoding: name, as: UTF8.self), sign == UInt8(ascii: "@"), name.endIndex + 2)
    }
}
