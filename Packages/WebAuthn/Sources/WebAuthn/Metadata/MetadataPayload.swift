internal import Encodings

/// What a metadata BLOB says (MDS3 §3.1.6).
public struct MetadataPayload: Hashable, Sendable {
    /// `no`: grows with each BLOB.
    public let number: Int64
    /// `nextUpdate`, as `2026-12-31`: on the day after, at the latest, there is a newer one.
    public let nextUpdate: String
    public let entries: [MetadataEntry]
    /// How many entries could not be read and were left out: one odd entry must not hide the others.
    public let unreadableEntries: Int
    /// The first second after the day of ``nextUpdate``, in Unix time.
    let end: Int64

    /// Whether there should be a newer one at `time`, in Unix seconds.
    public func isStale(at time: Int64) -> Bool { time >= end }

    /// Reads a payload that was verified before.
    ///
    /// - Throws: ``MetadataError/malformed(reason:)``.
    public init(decoding bytes: [UInt8]) throws(MetadataError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(bytes, allowingNUL: true)
        } catch {
            throw .malformed(reason: "the payload is no JSON at byte \(error.offset)")
        }
        guard let object = value.object else { throw .malformed(reason: "the payload is no object") }
        guard let number = object["no"]?.integer, number >= 0 else {
            throw .malformed(reason: "no is missing, or no number from 0")
        }
        guard let nextUpdate = object["nextUpdate"]?.string,
            let day = CalendarTime.seconds("\(nextUpdate)T00:00:00Z")
        else { throw .malformed(reason: "nextUpdate is missing, or no date as 2026-12-31") }
        guard let elements = object["entries"]?.array else {
            throw .malformed(reason: "entries is missing, or no list")
        }
        self.number = number
        self.nextUpdate = nextUpdate
        end = day + 86_400
        entries = elements.compactMap { element in element.object.flatMap(MetadataEntry.init) }
        unreadableEntries = elements.count - entries.count
    }
}
