/// A name in a subjectAltName extension (RFC 5280 §4.2.1.6).
public enum GeneralName: Hashable, Sendable {
    case dns(String)
    case email(String)
    case uri(String)
    /// 4 bytes (IPv4) or 16 bytes (IPv6).
    case ip([UInt8])
    case directory(DistinguishedName)
    /// A form that is not read further: its DER.
    case other([UInt8])

    /// Reads the value of a subjectAltName extension.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public static func list(der: ArraySlice<UInt8>) throws(CryptographyError) -> [GeneralName] {
        var reader = try DERReader.single(der, .sequence).elements
        var names: [GeneralName] = []
        while !reader.isAtEnd {
            let element = try reader.next()
            switch (element.tag.tagClass, element.tag.number, element.tag.isConstructed) {
            case (.contextSpecific, 1, false): names.append(.email(try ascii(element)))
            case (.contextSpecific, 2, false): names.append(.dns(try ascii(element)))
            case (.contextSpecific, 4, true): names.append(.directory(try DistinguishedName(der: element.content)))
            case (.contextSpecific, 6, false): names.append(.uri(try ascii(element)))
            case (.contextSpecific, 7, false) where [4, 16].contains(element.content.count):
                names.append(.ip(Array(element.content)))
            case (.contextSpecific, _, _): names.append(.other(Array(element.encoded)))
            default: throw .malformed(what: "a general name", offset: element.encoded.startIndex)
            }
        }
        return names
    }

    /// The value of a subjectAltName extension.
    static func encode(_ names: [GeneralName]) -> [UInt8] {
        var writer = DERWriter()
        writer.sequence { list in
            for name in names {
                switch name {
                case .email(let text): list.append(.contextPrimitive(1), Array(text.utf8))
                case .dns(let text): list.append(.contextPrimitive(2), Array(text.utf8))
                case .directory(let name): list.append(.context(4), name.encoded)
                case .uri(let text): list.append(.contextPrimitive(6), Array(text.utf8))
                case .ip(let bytes): list.append(.contextPrimitive(7), bytes)
                case .other(let der): list.encoded(der)
                }
            }
        }
        return writer.bytes
    }

    private static func ascii(_ element: DERElement) throws(CryptographyError) -> String {
        guard element.content.allSatisfy({ $0 < 0x80 }), let text = String(validating: element.content, as: UTF8.self)
        else { throw .malformed(what: "a general name that is not ASCII", offset: element.encoded.startIndex) }
        return text
    }
}
