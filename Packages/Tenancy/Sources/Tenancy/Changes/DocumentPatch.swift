public import Encodings

/// What a change says, member by member: a PATCH body, or `member=JSON` words.
///
/// Top-level members merge; an object is replaced whole, and `null` removes a member (HTTP contract 11.1). A path of
/// several names (`options.passkey_options.challenge_ui`) reaches into an object instead and leaves its other members.
public struct DocumentPatch: Hashable, Sendable {
    public private(set) var changes: [Change] = []

    /// One member and what it becomes.
    public struct Change: Hashable, Sendable {
        public let path: [String]
        public let value: JSONValue
    }

    /// Changes nothing.
    public init() {}

    /// The members of a PATCH body.
    public init(_ body: JSONObject) {
        changes = body.members.map { Change(path: [$0.name], value: $0.value) }
    }

    /// Adds one change; `path` is not empty.
    public mutating func set(_ path: [String], _ value: JSONValue) {
        if !path.isEmpty { changes.append(Change(path: path, value: value)) }
    }

    public var isEmpty: Bool { changes.isEmpty }

    /// The names of the top-level members that it touches.
    var topLevelNames: [String] { changes.compactMap(\.path.first) }

    /// `document` with the changes made, in their order.
    public func applied(to document: JSONObject) -> JSONObject {
        var document = document
        for change in changes { Self.set(change.path[...], change.value, in: &document) }
        return document
    }

    private static func set(_ path: ArraySlice<String>, _ value: JSONValue, in object: inout JSONObject) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            if value.isNull { object.remove(name) } else { object.set(name, value) }
            return
        }
        var inner = object[name]?.object ?? JSONObject()
        set(path.dropFirst(), value, in: &inner)
        object.set(name, .object(inner))
    }
}
