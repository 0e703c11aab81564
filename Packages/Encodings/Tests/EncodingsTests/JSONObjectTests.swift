import Encodings
import Testing

@Suite("JSON objects and values")
struct JSONObjectTests {
    @Test("Names are compared byte for byte")
    func names() {
        var object: JSONObject = ["\u{e9}": 1]
        #expect(object["e\u{301}"] == nil)
        object.set("e\u{301}", 2)
        #expect(object.count == 2)
        #expect(object["\u{e9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test("A member that is set again keeps its place")
    func order() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object.set("b", "x")
        object["d"] = nil
        object["e"] = true
        #expect(object.members.map(\.name) == ["a", "b", "c", "e"])
        #expect(object.remove("a") == 1)
        #expect(object.remove("a") == nil)
        object["c"] = nil
        #expect(object == ["b": "x", "e": true])
        #expect(object.isEmpty == false)
    }

    @Test("Equal are objects with equal members in whatever order")
    func equality() {
        let one: JSONObject = ["a": 1, "b": [1, 2], "c": ["x": nil]]
        let other: JSONObject = ["c": ["x": nil], "a": 1, "b": [1, 2]]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": [2, 1], "c": ["x": nil]])
        #expect(one != ["a": 1, "b": [1, 2]])
        #expect(JSONValue.string("\u{e9}") != .string("e\u{301}"))
        #expect(JSONValue.integer(1) != .number(1))
        #expect(JSONValue.bool(true) != .integer(1))
        #expect(JSONValue.null != .string("null"))
        #expect(Set<JSONValue>([1, 1, "1", [1], ["1": 1], nil, 1.5]).count == 6)
    }
}
