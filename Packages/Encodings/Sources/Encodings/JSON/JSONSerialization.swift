extension JSONValue {
    /// The value as UTF-8 text: on one line without spaces, or `pretty` with two spaces a level and a final line end.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        guard pretty else {
            var writer = JSONWriter()
            writer.value(self)
            return writer.bytes
        }
        var output: [UInt8] = []
        appendPretty(to: &output, depth: 0)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    private func appendPretty(to output: inout [UInt8], depth: Int) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                Self.beginLine(index, to: &output, depth: depth + 1)
                element.appendPretty(to: &output, depth: depth + 1)
            }
            Self.beginLine(0, to: &output, depth: depth)
            output.append(UInt8(ascii: "]"))
        case .object(let object) where !object.isEmpty:
            output.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                Self.beginLine(index, to: &output, depth: depth + 1)
                output.append(contentsOf: JSONValue.string(member.name).serialized())
                output.append(contentsOf: ": ".utf8)
                member.value.appendPretty(to: &output, depth: depth + 1)
            }
            Self.beginLine(0, to: &output, depth: depth)
            output.append(UInt8(ascii: "}"))
        case .null, .bool, .integer, .number, .string, .array, .object:
            output.append(contentsOf: serialized())
        }
    }

    private static func beginLine(_ index: Int, to output: inout [UInt8], depth: Int) {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}
