import Identity

/// The texts of all mails: the built-in ones, and those of the operator above them.
///
/// A text is found by tenant, kind and language. A tenant's own come first, then the operator's, then the built-in ones;
/// of languages the first wanted one for which any of them has a text, and English when there is none.
public struct MailTemplates: Sendable {
    private struct Key: Hashable {
        /// `nil`: of all tenants.
        var tenant: String?
        var kind: MailKind
        var language: String
    }

    private struct Pair: Sendable {
        var subject: MailTemplate
        var text: MailTemplate
        var html: MailTemplate?
    }

    private var pairs: [Key: Pair] = [:]

    /// A file of the operator's.
    public struct File: Sendable {
        /// Of which tenant; `nil`: of all.
        public let tenant: String?
        /// `reset-password.sv.txt`.
        public let name: String
        /// What an error calls it.
        public let path: String
        public let bytes: [UInt8]

        public init(tenant: String?, name: String, path: String, bytes: [UInt8]) {
            self.tenant = tenant
            self.name = name
            self.path = path
            self.bytes = bytes
        }
    }

    /// Bytes of a file at most.
    public static let fileLimit = 1 << 18

    /// Reads templates.
    ///
    /// - Parameter files: the operator's own.
    /// - Throws: ``TemplateError`` for the first file that is none.
    public init(_ files: [File] = []) throws(TemplateError) {
        try add(BuiltInTexts.files)
        try add(files)
    }

    private mutating func add(_ files: [File]) throws(TemplateError) {
        var texts: [Key: File] = [:]
        var pages: [Key: File] = [:]
        for file in files {
            guard let (key, ending) = Self.key(file) else {
                throw TemplateError(file: file.path, line: 1, fault: .unknownName)
            }
            if ending == "txt" { texts[key] = file } else { pages[key] = file }
        }
        for (key, page) in pages.sorted(by: { $0.value.path < $1.value.path }) where texts[key] == nil {
            throw TemplateError(file: page.path, line: 1, fault: .noText)
        }
        for (key, file) in texts.sorted(by: { $0.value.path < $1.value.path }) {
            pairs[key] = try Self.pair(key.kind, file, pages[key])
        }
    }

    private static func key(_ file: File) -> (Key, ending: String)? {
        let parts = file.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let kind = MailKind(rawValue: parts[0]), isLanguage(parts[1]),
            ["txt", "html"].contains(parts[2])
        else { return nil }
        return (Key(tenant: file.tenant, kind: kind, language: parts[1].lowercased()), parts[2])
    }

    /// Letters, digits and hyphens, as BCP 47 has them.
    private static func isLanguage(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "-")
            }
    }

    private static func pair(_ kind: MailKind, _ file: File, _ page: File?) throws(TemplateError) -> Pair {
        let names = kind.placeholders
        let text = try read(file)
        // "Subject: …", an empty line, the text.
        let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0].hasPrefix("Subject: "), lines[1].isEmpty else {
            throw TemplateError(file: file.path, line: 1, fault: .noSubject)
        }
        return Pair(
            subject: try MailTemplate(lines[0].dropFirst("Subject: ".count), names: names, file: file.path),
            text: try MailTemplate(lines[2], names: names, file: file.path, firstLine: 3),
            html: try page.map { (page) throws(TemplateError) in
                try MailTemplate(try read(page)[...], names: names, file: page.path)
            }
        )
    }

    private static func read(_ file: File) throws(TemplateError) -> String {
        guard file.bytes.count <= fileLimit else {
            throw TemplateError(file: file.path, line: 1, fault: .tooLarge(limit: fileLimit))
        }
        // A carriage return and its line feed are one character to Swift: they go before the text is split.
        guard let text = String(validating: file.bytes.filter { $0 != 13 }, as: UTF8.self) else {
            throw TemplateError(file: file.path, line: 1, fault: .notText)
        }
        return text
    }

    /// What a mail says.
    struct Rendered: Hashable {
        let language: String
        let subject: String
        let text: String
        let html: String?
    }

    /// Fills in a mail's texts.
    ///
    /// - Parameters:
    ///   - kind: which mail.
    ///   - tenant: whose templates come first.
    ///   - languages: wanted, best first.
    ///   - values: for each of the kind's placeholders.
    /// - Returns: `nil` when there is no text of this kind at all, which the built-in ones prevent.
    func render(_ kind: MailKind, tenant: String, languages: [String], values: [String: String]) -> Rendered? {
        for language in Self.wanted(languages) {
            let own = pairs[Key(tenant: tenant, kind: kind, language: language)]
            guard let pair = own ?? pairs[Key(tenant: nil, kind: kind, language: language)] else { continue }
            return Rendered(
                language: language,
                subject: pair.subject.text(values, escape: .controls),
                text: pair.text.text(values, escape: .controls),
                html: pair.html?.text(values, escape: .html)
            )
        }
        return nil
    }

    /// `sv-FI` is followed by `sv` (RFC 4647 §3.4), and all of them by English.
    private static func wanted(_ languages: [String]) -> [String] {
        languages.flatMap { language in
            var subtags = language.lowercased().split(separator: "-")
            var tags: [String] = []
            while !subtags.isEmpty {
                tags.append(subtags.joined(separator: "-"))
                subtags.removeLast()
            }
            return tags
        } + ["en"]
    }
}
