internal import CPSL

/// Which names anybody may register under, so that no site can speak for them: `com`, `co.uk`, `github.io`.
///
/// Both sections of the list count, as in browsers, and a name under no rule has its last label for its public suffix
/// (WHATWG URL §3.2). Names are A-labels in lower case, without a trailing dot.
@safe public final class PublicSuffixList: @unchecked Sendable {
    // Sendable: libpsl only reads a list that it has loaded, and the pointer never changes.
    private let list: OpaquePointer
    private let isOwned: Bool

    /// Reads the list at `path`, as Debian's package `publicsuffix` has it (`.dafsa`, or the text `.dat`).
    ///
    /// - Throws: ``PublicSuffixError`` when there is none.
    public init(path: String) throws(PublicSuffixError) {
        guard !path.utf8.contains(0), let list = unsafe psl_load_file(path) else {
            throw PublicSuffixError(path: path)
        }
        unsafe self.list = list
        isOwned = true
    }

    /// The list that was compiled into libpsl.
    ///
    /// - Throws: ``PublicSuffixError`` when it was built without one.
    public init() throws(PublicSuffixError) {
        guard let list = unsafe psl_builtin() else { throw PublicSuffixError(path: nil) }
        unsafe self.list = list
        isOwned = false
    }

    deinit {
        if isOwned { unsafe psl_free(list) }
    }

    /// Whether `name` is a public suffix.
    public func isPublicSuffix(_ name: String) -> Bool {
        guard !name.utf8.contains(0) else { return true }
        return unsafe psl_is_public_suffix2(list, name, latchkey_psl_any) != 0
    }

    /// The public suffix of `name` with the label before it: `example.co.uk` for `shop.example.co.uk`; `nil` for a name
    /// that is a public suffix.
    public func registrableDomain(of name: String) -> String? {
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        // The answer points into the text that was given.
        return unsafe name.withCString { text in
            guard let domain = unsafe psl_registrable_domain(list, text) else { return nil }
            return unsafe String(cString: domain)
        }
    }

    /// The first label of the registrable domain: `example` for `shop.example.co.uk` (WebAuthn L3 §5.11.1).
    public func registrableLabel(of name: String) -> String? {
        registrableDomain(of: name).map { domain in
            String(decoding: Array(domain.utf8.prefix { $0 != UInt8(ascii: ".") }), as: UTF8.self)
        }
    }
}

/// There is no list.
public struct PublicSuffixError: Error, Hashable, Sendable {
    /// Where it was looked for; `nil`: in libpsl itself.
    public let path: String?
}

extension PublicSuffixError: CustomStringConvertible {
    public var description: String {
        guard let path else { return "libpsl has no public suffix list of its own. Set public_suffix_list." }
        return
            "\(path) is no public suffix list that can be read. Install Debian's publicsuffix, or set public_suffix_list."
    }
}
