import Encodings
import Testing

@testable import HTTPAPI

@Suite("1.2: parameters of a request")
struct ParametersTests {
    private func form(_ text: String) throws -> Parameters {
        try Parameters(form: Array(text.utf8)[...], emptyIsAbsent: true)
    }

    @Test("A form is decoded: plus is a space, escapes are bytes of UTF-8")
    func decoding() throws {
        let parameters = try form("a=1+2%2b3&b=%C3%A4&c&d=x=y&%65=e&&f=")
        #expect(try parameters.string("a") == "1 2+3")
        #expect(try parameters.string("b") == "\u{e4}")
        #expect(try parameters.string("c") == nil)
        #expect(try parameters.string("d") == "x=y")
        #expect(try parameters.string("e") == "e")
        #expect(try parameters.string("f") == nil)
        #expect(parameters.repeated == nil)
    }

    @Test(
        "Broken escapes, NUL and what is not UTF-8 are refused",
        arguments: ["a=%", "a=%4", "a=%zz", "%0=1", "a=%00", "a=%ff", "a=%C3"]
    )
    func broken(_ text: String) {
        #expect(throws: APIError.invalid("body")) { try form(text) }
    }

    @Test("A name that comes twice is told, also when a value is empty or the name is unknown")
    func repeated() throws {
        #expect(try form("a=1&b=2&a=3").repeated == "a")
        #expect(try form("scope=&scope=openid").repeated == "scope")
        #expect(try form("x&x").repeated == "x")
        #expect(try form("a=1&%61=1").repeated == "a")
        #expect(try form("a=1&A=1").repeated == nil)
    }

    @Test("More pairs than any request has are refused, not left unread")
    func many() throws {
        let pairs = (0..<200).map { "p\($0)=1" }
        #expect(try form(pairs.joined(separator: "&")).string("p199") == "1")
        #expect(throws: APIError.invalid("body")) { try form((pairs + ["p0=2"]).joined(separator: "&")) }
        #expect(throws: APIError.invalid("body")) {
            try form((0..<30_000).map { String($0) }.joined(separator: "&"))
        }
    }

    @Test("null is absent everywhere, an empty text only where the contract says so")
    func absent() throws {
        let members: JSONObject = ["a": nil, "b": "", "c": 1]
        let strict = Parameters(members)
        #expect(try strict.string("a") == nil)
        #expect(try strict.string("b")?.isEmpty == true)
        #expect(throws: APIError.invalid("c")) { try strict.string("c") }
        #expect(throws: APIError.missing("a")) { try strict.requiredString("a") }
        let lenient = Parameters(members, emptyIsAbsent: true)
        #expect(try lenient.string("b") == nil)
        #expect(throws: APIError.missing("b")) { try lenient.requiredString("b") }
    }

    @Test("An object is an object in JSON, and the text of one in a form")
    func objects() throws {
        let object: JSONValue = ["id": "x"]
        #expect(try Parameters(["o": object]).object("o") == object.object)
        #expect(throws: APIError.invalid("o")) { try Parameters(["o": "{\"id\":\"x\"}"]).object("o") }
        #expect(throws: APIError.invalid("o")) { try Parameters(["o": []]).object("o") }
        #expect(try form("o=%7B%22id%22%3A%22x%22%7D").object("o") == object.object)
        for text in ["o=x", "o=%5B%5D", "o=%7B%22a%22%3A1%2C%22a%22%3A1%7D", "o=1"] {
            #expect(throws: APIError.invalid("o")) { try form(text).object("o") }
        }
        #expect(try form("o=").object("o") == nil)
    }

    @Test("realm and connection are one thing, and realm wins")
    func realm() throws {
        #expect(try Parameters(["connection": "c"]).realm() == "c")
        #expect(try Parameters(["realm": "r", "connection": "c"]).realm() == "r")
        #expect(throws: APIError.invalid("connection")) { try Parameters(["connection": true]).realm() }
    }

    @Test("Names are compared byte for byte, not by how they look")
    func bytes() throws {
        let parameters = Parameters(["e\u{301}": "x"])
        #expect(parameters["\u{e9}"] == nil)
        #expect(try form("%65%CC%81=1&%C3%A9=2").repeated == nil)
    }
}
