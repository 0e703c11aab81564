import Cryptography
import Encodings
import Identity

/// Verifies an export, line by line; nothing else is needed.
public struct AuditVerification: Sendable {
    /// Events that a seal stands for.
    public private(set) var sealedEvents: Int64 = 0
    /// Events after the last seal.
    public var unsealedEvents: Int64 { Int64(pending.count) }
    public private(set) var seals: Int64 = 0
    /// The number of the last seal, and its time.
    public private(set) var lastSeal: (number: Int64, at: String)?
    /// The name of the tenant, as the header says.
    public private(set) var tenant: String?
    /// The thumbprints of the keys that signed, in the order they came.
    public private(set) var keys: [String] = []

    private let expectedKeys: Set<String>
    private var tenantNumber: Int64 = 0
    private var line = 0
    private var lastID: [UInt8]?
    private var previous: [UInt8]?
    private var nextNumber: Int64?
    /// The hashes of the events since the last seal.
    private var pending: [[UInt8]] = []

    /// - Parameter expectedKeys: the thumbprints of the keys that may sign; none: any, and ``keys`` tells which did.
    public init(expectedKeys: Set<String> = []) {
        self.expectedKeys = expectedKeys
    }

    /// Events between two seals at most: an export by this or another version never has more.
    private static let pendingLimit = 1_000_000

    /// Takes the next line.
    ///
    /// - Throws: ``AuditFault``. What was verified before stays verified.
    public mutating func take(_ text: String) throws(AuditFault) {
        line += 1
        guard let object = (try? JSON.parse(text))?.object else { throw malformed("no JSON object") }
        if line == 1 { return try takeHeader(object) }
        if object["seal"] != nil { return try takeSeal(object) }
        guard let id = object["log_id"]?.string.flatMap(Self.bytes(ofID:)) else { throw malformed("no event or seal") }
        if let lastID, !lastID.lexicographicallyPrecedes(id) { throw .disordered(line: line) }
        guard pending.count < Self.pendingLimit else { throw malformed("an event too many without a seal") }
        lastID = id
        pending.append(AuditLine.hash(text))
    }

    /// Ends the verification.
    ///
    /// - Throws: ``AuditFault`` when there was not even a header.
    public func finish() throws(AuditFault) {
        guard line > 0 else { throw .malformed(line: 1, what: "missing") }
    }

    private mutating func takeHeader(_ object: JSONObject) throws(AuditFault) {
        guard object["format"]?.string == AuditLine.format, let number = object["tenant_number"]?.integer else {
            throw malformed("no header of \(AuditLine.format)")
        }
        tenantNumber = number
        tenant = object["tenant"]?.string
    }

    private mutating func takeSeal(_ object: JSONObject) throws(AuditFault) {
        guard let number = object["seal"]?.integer, let count = object["events"]?.integer,
            let through = object["through"]?.string, let throughBytes = Self.bytes(ofID: through),
            let before = object["previous"]?.string.flatMap({ try? Hex.decode($0) }),
            let hash = object["hash"]?.string.flatMap({ try? Hex.decode($0) }),
            let sealedAt = object["sealed_at"]?.string,
            let key = object["key"]?.string.flatMap({ try? Base64URL.decode($0) }), key.count == 32,
            let signature = object["signature"]?.string.flatMap({ try? Base64URL.decode($0) })
        else { throw malformed("a seal that lacks something") }
        // The first seal of an export that begins later is taken on its signature.
        let isNext = nextNumber.map { $0 == number } ?? (number >= 1)
        let isFirst = number == 1 && before.allSatisfy { $0 == 0 } && before.count == 32
        guard isNext, previous.map({ $0 == before }) ?? (number > 1 || isFirst) else { throw .broken(seal: number) }
        let text = AuditLine.signedText(
            tenant: tenantNumber,
            number: number,
            count: count,
            through: through,
            previous: before,
            hash: hash,
            sealedAt: sealedAt
        )
        guard let verifier = try? VerifyingKey.ed25519(key),
            verifier.isValid(signature[...], over: text[...], .ed25519)
        else { throw .signature(seal: number) }
        let thumbprint = AuditKey.thumbprint(key)
        guard expectedKeys.isEmpty || expectedKeys.contains(thumbprint) else {
            throw .foreignKey(seal: number, thumbprint: thumbprint)
        }
        guard count == pending.count else { throw .count(seal: number, sealed: count, found: Int64(pending.count)) }
        guard throughBytes == lastID, AuditLine.hash(after: before, pending) == hash else {
            throw .changed(seal: number)
        }
        pending = []
        previous = hash
        nextNumber = number < .max ? number + 1 : number
        sealedEvents += count
        seals += 1
        lastSeal = (number, sealedAt)
        if !keys.contains(thumbprint) { keys.append(thumbprint) }
    }

    private func malformed(_ what: String) -> AuditFault { .malformed(line: line, what: what) }

    private static func bytes(ofID text: String) -> [UInt8]? { TimeOrderedID(base62: text.utf8)?.bytes }
}
