/// The tag of a DER element (X.690 §8.1.2).
public struct DERTag: Hashable, Sendable {
    /// The four classes of tags.
    public enum Class: UInt8, Hashable, Sendable {
        case universal, application, contextSpecific, `private`
    }

    /// The class of the tag.
    public let tagClass: Class
    /// Whether the content is a row of further elements.
    public let isConstructed: Bool
    /// The tag's number.
    public let number: UInt32

    /// A tag of any class.
    public init(_ tagClass: Class, _ number: UInt32, isConstructed: Bool) {
        self.tagClass = tagClass
        self.number = number
        self.isConstructed = isConstructed
    }

    /// `[number]` around an element or a row of them: explicit tags, implicit sequences.
    public static func context(_ number: UInt32) -> DERTag { .init(.contextSpecific, number, isConstructed: true) }
    /// `[number]` in place of a primitive type's own tag.
    public static func contextPrimitive(_ number: UInt32) -> DERTag {
        .init(.contextSpecific, number, isConstructed: false)
    }

    public static let boolean = DERTag(.universal, 1, isConstructed: false)
    public static let integer = DERTag(.universal, 2, isConstructed: false)
    public static let bitString = DERTag(.universal, 3, isConstructed: false)
    public static let octetString = DERTag(.universal, 4, isConstructed: false)
    public static let null = DERTag(.universal, 5, isConstructed: false)
    public static let objectIdentifier = DERTag(.universal, 6, isConstructed: false)
    public static let enumerated = DERTag(.universal, 10, isConstructed: false)
    public static let utf8String = DERTag(.universal, 12, isConstructed: false)
    public static let sequence = DERTag(.universal, 16, isConstructed: true)
    public static let set = DERTag(.universal, 17, isConstructed: true)
    public static let numericString = DERTag(.universal, 18, isConstructed: false)
    public static let printableString = DERTag(.universal, 19, isConstructed: false)
    public static let teletexString = DERTag(.universal, 20, isConstructed: false)
    public static let ia5String = DERTag(.universal, 22, isConstructed: false)
    public static let utcTime = DERTag(.universal, 23, isConstructed: false)
    public static let generalizedTime = DERTag(.universal, 24, isConstructed: false)
    public static let visibleString = DERTag(.universal, 26, isConstructed: false)
    public static let universalString = DERTag(.universal, 28, isConstructed: false)
    public static let bmpString = DERTag(.universal, 30, isConstructed: false)
}
