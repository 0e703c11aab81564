/// Textual encodings (RFC 7468): certificates and keys in files.
public struct PEM: Hashable, Sendable {
    /// What stands between `BEGIN` and the dashes, such as `CERTIFICATE`.
    public let label: String
    /// The DER inside.
    public let der: [UInt8]

    /// The label of a certificate.
    public static let certificate = "CERTIFICATE"
    /// The label of an unencrypted PKCS#8 private key.
    public static let privateKey = "PRIVATE KEY"
    /// The label of a SubjectPublicKeyInfo.
    public static let publicKey = "PUBLIC KEY"

    /// DER with the label to write around it.
    public init(label: String, der: [UInt8]) {
        self.label = label
        self.der = der
    }

    /// The text, in lines of 64 characters, each ended by a line feed.
    public var text: String {
        var text = "-----BEGIN \(label)-----\n"
        let encoded = Base64Lines.encode(der)
        var rest = encoded[...]
        while !rest.isEmpty {
            text += String(decoding: rest.prefix(64), as: UTF8.self) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END \(label)-----\n"
    }

    /// Reads every block of `text` in its order. What stands between the blocks is taken for explanation.
    ///
    /// - Throws: `CryptographyError.malformed` for a block without its end or with content that is not base64; `offset`
    ///   is the number of the line, from 0.
    public static func decode(_ text: String) throws(CryptographyError) -> [PEM] {
        var blocks: [PEM] = []
        var open: (label: Substring, content: [UInt8])?
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (number, line) in lines.enumerated() {
            let line = line.trimmingSpaces()
            if let label = line.between("-----BEGIN ", "-----") {
                guard open == nil else { throw .malformed(what: "a PEM block inside another", offset: number) }
                open = (label, [])
            } else if let label = line.between("-----END ", "-----") {
                guard let block = open, block.label == label else {
                    throw .malformed(what: "an end of PEM without its beginning", offset: number)
                }
                guard let der = Base64Lines.decode(block.content) else {
                    throw .malformed(what: "PEM that is not base64", offset: number)
                }
                blocks.append(PEM(label: String(label), der: der))
                open = nil
            } else {
                open?.content.append(contentsOf: line.utf8)
            }
        }
        guard open == nil else { throw .malformed(what: "a PEM block without its end", offset: lines.count) }
        return blocks
    }
}

extension Certificate {
    /// The certificate as PEM.
    public var pem: String { PEM(label: PEM.certificate, der: der).text }

    /// Reads every certificate of `text`, in its order. Blocks with other labels are passed over.
    ///
    /// - Throws: `CryptographyError.malformed`, and what `init(der:)` throws.
    public static func list(pem text: String) throws(CryptographyError) -> [Certificate] {
        var certificates: [Certificate] = []
        for block in try PEM.decode(text) where block.label == PEM.certificate {
            certificates.append(try Certificate(der: block.der))
        }
        return certificates
    }
}

extension SigningKey {
    /// The key as PEM, unencrypted: a secret.
    public var pem: String {
        get throws(CryptographyError) { PEM(label: PEM.privateKey, der: try pkcs8).text }
    }

    /// Reads the first `PRIVATE KEY` of `text` (PKCS#8).
    ///
    /// - Throws: `CryptographyError.malformed` when there is none, and what `init(pkcs8:)` throws.
    public convenience init(pem text: String) throws(CryptographyError) {
        guard let block = try PEM.decode(text).first(where: { $0.label == PEM.privateKey }) else {
            throw .malformed(what: "no PRIVATE KEY", offset: 0)
        }
        try self.init(pkcs8: block.der)
    }
}

extension VerifyingKey {
    /// The key as PEM.
    public var pem: String { PEM(label: PEM.publicKey, der: subjectPublicKeyInfo).text }
}

extension Substring {
    fileprivate func trimmingSpaces() -> Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    fileprivate func between(_ start: String, _ end: String) -> Substring? {
        guard hasPrefix(start), hasSuffix(end), count >= start.count + end.count else { return nil }
        return dropFirst(start.count).dropLast(end.count)
    }
}

/// Base64 with padding (RFC 4648 §4), strict.
private enum Base64Lines {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[Int(bits >> 18 & 63)] : UInt8(ascii: "="))
                bits <<= 6
            }
            rest = rest.dropFirst(3)
        }
        return text
    }

    static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for character in text.dropLast(padding) {
            guard let value = value(character) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // The bits that no byte uses are zero, and there are as many as the padding says.
        guard count == 2 * padding, bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
