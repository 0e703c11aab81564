/// An X.501 name as certificates carry it (RFC 5280 §4.1.2.4).
public struct DistinguishedName: Hashable, Sendable {
    /// One attribute, such as the common name.
    public struct Attribute: Hashable, Sendable {
        /// The attribute's type in dotted decimal.
        public let oid: String
        /// The text; empty when the value is of no string type.
        public let value: String

        /// An attribute with its text.
        public init(oid: String, value: String) {
            self.oid = oid
            self.value = value
        }
    }

    /// The attributes in the name's order, those of a multi-valued part one after the other.
    public let attributes: [Attribute]
    /// The name's own DER: two names are the same when these bytes are.
    public let encoded: [UInt8]

    /// Reads a Name in DER.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public init(der: ArraySlice<UInt8>) throws(CryptographyError) {
        var parts = try DERReader.single(der, .sequence).elements
        var attributes: [Attribute] = []
        while !parts.isAtEnd {
            var part = try parts.set()
            guard !part.isAtEnd else { throw .malformed(what: "an empty part of a name", offset: part.offset) }
            while !part.isAtEnd {
                var pair = try part.sequence()
                let oid = try pair.objectIdentifier()
                let value = try pair.next()
                try pair.finish()
                attributes.append(Attribute(oid: oid, value: value.isString ? try value.string() : ""))
            }
        }
        self.attributes = attributes
        encoded = Array(der)
    }

    /// A name with one attribute in each part, written as UTF8String (the country as PrintableString).
    ///
    /// - Throws: `CryptographyError.unsupported` when an attribute's type is no object identifier.
    public init(_ attributes: [Attribute]) throws(CryptographyError) {
        var writer = DERWriter()
        try writer.sequence { (name) throws(CryptographyError) in
            for attribute in attributes {
                try name.append(.set) { (part) throws(CryptographyError) in
                    try part.sequence { (pair) throws(CryptographyError) in
                        try pair.objectIdentifier(attribute.oid)
                        let type: DERTag = attribute.oid == Self.country ? .printableString : .utf8String
                        pair.append(type, Array(attribute.value.utf8))
                    }
                }
            }
        }
        self.attributes = attributes
        encoded = writer.bytes
    }

    /// The texts of the attributes of one type, in the name's order.
    public subscript(oid: String) -> [String] {
        attributes.filter { $0.oid == oid }.map(\.value)
    }

    /// commonName.
    public static let commonName = "2.5.4.3"
    /// countryName.
    public static let country = "2.5.4.6"
    /// organizationName.
    public static let organization = "2.5.4.10"
    /// organizationalUnitName.
    public static let organizationalUnit = "2.5.4.11"
}

extension DistinguishedName: CustomStringConvertible {
    /// The attributes for a person to read, such as `CN=Example, O=Example Ltd`. Nothing may be decided by it.
    public var description: String {
        let names = [
            "2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.7": "L", "2.5.4.8": "ST",
        ]
        return attributes.map { "\(names[$0.oid] ?? $0.oid)=\($0.value)" }.joined(separator: ", ")
    }
}

extension DERElement {
    fileprivate var isString: Bool {
        [
            .utf8String, .printableString, .ia5String, .visibleString, .numericString, .teletexString, .bmpString,
            .universalString,
        ].contains(tag)
    }
}
