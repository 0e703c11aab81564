/// The members of a JSON object, in their order. No two have the same name.
///
/// Names are compared byte for byte. Two objects are equal when they have equal members in whatever order.
public struct JSONObject: Sendable {
    /// One name and its value.
    public struct Member: Hashable, Sendable {
        public let name: String
        public let value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }

        public static func == (one: Member, other: Member) -> Bool {
            sameBytes(one.name, other.name) && one.value == other.value
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(JSONName(name))
            hasher.combine(value)
        }
    }

    /// The members in the order of the document, or in which they were set.
    public private(set) var members: [Member]

    /// An object without members.
    public init() {
        members = []
    }

    /// The caller vouches that no name is there twice.
    init(unique members: [Member]) {
        self.members = members
    }

    public var count: Int { members.count }

    public var isEmpty: Bool { members.isEmpty }

    /// The value of the member `name`, or `nil` when there is none. Setting `nil` removes the member.
    public subscript(name: String) -> JSONValue? {
        get {
            guard let index = index(of: name) else { return nil }
            return members[index].value
        }
        set {
            if let newValue {
                set(name, newValue)
            } else {
                remove(name)
            }
        }
    }

    /// Gives the member `name` this value, in the place that it has, or else at the end.
    public mutating func set(_ name: String, _ value: JSONValue) {
        let member = Member(name: name, value: value)
        if let index = index(of: name) {
            members[index] = member
        } else {
            members.append(member)
        }
    }

    /// Removes the member `name`, and returns the value that it had.
    @discardableResult
    public mutating func remove(_ name: String) -> JSONValue? {
        guard let index = index(of: name) else { return nil }
        return members.remove(at: index).value
    }

    private func index(of name: String) -> Int? {
        for index in members.indices where sameBytes(members[index].name, name) { return index }
        return nil
    }
}

extension JSONObject: Hashable {
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        guard one.count == other.count else { return false }
        if one.members == other.members { return true }
        let values = Dictionary(other.members.map { (JSONName($0.name), $0.value) }) { first, _ in first }
        return one.members.allSatisfy { values[JSONName($0.name)] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // The sum does not depend on the order.
        hasher.combine(members.reduce(0) { $0 &+ $1.hashValue })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object with these members. Of two with the same name the later one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements { set(name, value) }
    }
}
