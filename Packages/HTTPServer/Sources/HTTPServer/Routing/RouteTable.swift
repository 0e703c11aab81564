public import HTTPWire

/// Finds what belongs to a request by its path and method, and knows nothing of what that is.
///
/// Paths are compared segment by segment, decoded. A segment that is spelled out wins over `{name}`. HEAD finds what GET
/// does.
public struct RouteTable<Value: Sendable>: Sendable {
    private struct Entry {
        let method: HTTPMethod
        let names: [String]
        let value: Value
    }

    private struct Node {
        var named: [String: Node] = [:]
        /// The child for any segment; an array of none or one, since a struct cannot hold itself.
        var any: [Node] = []
        var entries: [Entry] = []

        mutating func insert(_ segments: ArraySlice<Substring>, _ entry: Entry) {
            guard let segment = segments.first else {
                entries.removeAll { $0.method == entry.method }
                entries.append(entry)
                return
            }
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                if any.isEmpty { any.append(Node()) }
                any[0].insert(segments.dropFirst(), entry)
            } else {
                named[String(segment), default: Node()].insert(segments.dropFirst(), entry)
            }
        }

        func find(_ segments: ArraySlice<String>, _ captured: inout [String]) -> Node? {
            guard let segment = segments.first else { return entries.isEmpty ? nil : self }
            if let found = named[segment]?.find(segments.dropFirst(), &captured) { return found }
            // An empty segment is no identifier.
            guard let any = any.first, !segment.isEmpty else { return nil }
            captured.append(segment)
            if let found = any.find(segments.dropFirst(), &captured) { return found }
            captured.removeLast()
            return nil
        }

        /// What this node and all below it hold.
        var all: [Value] { entries.map(\.value) + (Array(named.values) + any).flatMap(\.all) }

        func entry(_ method: HTTPMethod) -> Entry? {
            if let exact = entries.first(where: { $0.method == method }) { return exact }
            return method == .head ? entries.first { $0.method == .get } : nil
        }

        var allowed: [HTTPMethod] {
            var methods = entries.map(\.method)
            if methods.contains(.get), !methods.contains(.head) { methods.append(.head) }
            if !methods.contains(.options) { methods.append(.options) }
            return methods
        }
    }

    private var root = Node()
    /// The patterns that are spelled out, whole: most requests need no more than one look here.
    private var plain: [String: Node] = [:]

    /// An empty table.
    public init() {}

    /// Adds a value. A second one for the same method and pattern replaces the first.
    ///
    /// - Parameters:
    ///   - method: the method that finds it; GET's is found by HEAD too.
    ///   - pattern: a path, decoded, in which `{name}` stands for one whole segment that is not empty.
    ///   - value: what is found.
    public mutating func add(_ method: HTTPMethod, _ pattern: String, _ value: Value) {
        let segments = pattern.drop { $0 == "/" }.split(separator: "/", omittingEmptySubsequences: false)
        let names = segments.filter { $0.hasPrefix("{") && $0.hasSuffix("}") }.map { String($0.dropFirst().dropLast()) }
        let entry = Entry(method: method, names: names, value: value)
        root.insert(segments[...], entry)
        // With an escape or a dot segment, what is sent and what is meant are two things.
        let isLiteral = segments.allSatisfy { $0 != "." && $0 != ".." && !$0.contains("%") }
        let isPlain = names.isEmpty && pattern.hasPrefix("/") && isLiteral
        if isPlain { plain[pattern, default: Node()].insert([], entry) }
    }

    /// Everything that was added and not replaced, in no order.
    public var values: [Value] { root.all }

    /// What was found for a path and method.
    public enum Match: Sendable {
        case found(Value, PathParameters)
        /// The path is known, for these methods only; any of its values, which tell what OPTIONS should say.
        case otherMethods(allowed: [HTTPMethod], values: [Value])
        case none
        /// The path breaks the grammar.
        case malformed(HTTPFault)
    }

    /// Looks up a request's head.
    public func match(_ head: HTTPRequestHead) -> Match {
        if let entry = plain[head.path]?.entry(head.method) { return .found(entry.value, PathParameters()) }
        let segments: [String]
        do throws(HTTPFault) {
            segments = try RequestPath.segments(of: head.pathBytes)
        } catch {
            return .malformed(error)
        }
        var captured: [String] = []
        guard let node = root.find(segments[...], &captured) else { return .none }
        guard let entry = node.entry(head.method) else {
            return .otherMethods(allowed: node.allowed, values: node.entries.map(\.value))
        }
        var parameters = PathParameters()
        for (name, value) in zip(entry.names, captured) { parameters.append(name, value) }
        return .found(entry.value, parameters)
    }
}
