internal import CUTF8Proc

/// Why a character may not stand in a name or an identifier.
public enum RefusedCharacter: String, Hashable, Sendable, CaseIterable {
    /// A control character or a line break (general categories Cc, Zl, Zp).
    case control = "a control character"
    /// A character that changes the direction of the text around it.
    case bidirectional = "a bidirectional control character"
    /// A character that shows nothing: format characters, default ignorables, fillers and blanks.
    case invisible = "an invisible character"
    /// A character without a public meaning (general category Co).
    case privateUse = "a private-use character"
    /// A code point that means nothing yet, so that its canonical form may still change.
    case unassigned = "an unassigned character"

    /// The reason to refuse `scalar`, or `nil` when it may stand in an identifier.
    public init?(_ scalar: UnicodeScalar) {
        guard scalar.value > 0x7E || scalar.value < 0x20 else { return nil }
        // utf8proc answers with an entry for every code point.
        let property = unsafe utf8proc_get_property(Int32(bitPattern: scalar.value)).pointee
        switch UInt32(property.bidi_class) {
        case UTF8PROC_BIDI_CLASS_LRE.rawValue, UTF8PROC_BIDI_CLASS_LRO.rawValue, UTF8PROC_BIDI_CLASS_RLE.rawValue,
            UTF8PROC_BIDI_CLASS_RLO.rawValue, UTF8PROC_BIDI_CLASS_PDF.rawValue, UTF8PROC_BIDI_CLASS_LRI.rawValue,
            UTF8PROC_BIDI_CLASS_RLI.rawValue, UTF8PROC_BIDI_CLASS_FSI.rawValue, UTF8PROC_BIDI_CLASS_PDI.rawValue:
            self = .bidirectional
            return
        default: break
        }
        // LEFT-TO-RIGHT MARK, RIGHT-TO-LEFT MARK and ARABIC LETTER MARK have a letter's direction.
        if [0x200E, 0x200F, 0x061C].contains(scalar.value) {
            self = .bidirectional
            return
        }
        switch UInt32(bitPattern: Int32(property.category)) {
        case UTF8PROC_CATEGORY_CC.rawValue, UTF8PROC_CATEGORY_ZL.rawValue, UTF8PROC_CATEGORY_ZP.rawValue:
            self = .control
        case UTF8PROC_CATEGORY_CO.rawValue: self = .privateUse
        case UTF8PROC_CATEGORY_CF.rawValue: self = .invisible
        case _ where property.ignorable != 0 || Self.blanks.contains(scalar.value): self = .invisible
        case UTF8PROC_CATEGORY_CN.rawValue: self = .unassigned
        default: return nil
        }
    }

    /// Symbols that show nothing: BRAILLE PATTERN BLANK, MUSICAL SYMBOL NULL NOTEHEAD.
    private static let blanks: Set<UInt32> = [0x2800, 0x1D159]
}

extension UnicodeText {
    /// Refuses the first character of `text` that may not stand in an identifier.
    ///
    /// - Throws: `refused`, whose position counts scalars and begins with `start`.
    static func refuseBadCharacters(_ text: String, startingAt start: Int) throws(UnicodeError) {
        var position = start
        for scalar in text.unicodeScalars {
            if let kind = RefusedCharacter(scalar) {
                throw .refused(kind, scalar: scalar, position: position)
            }
            position += 1
        }
    }
}
