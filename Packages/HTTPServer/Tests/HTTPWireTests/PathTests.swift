import HTTPWire
import Testing

@Suite("RFC 3986 §2.1, §5.2.4: paths, and forms")
struct PathTests {
    @Test(
        "A path has these segments",
        arguments: [
            ("/", [""]), ("/a", ["a"]), ("/a/", ["a", ""]), ("/a/b/c", ["a", "b", "c"]), ("//", ["", ""]),
            ("/a//b", ["a", "", "b"]), ("/a%20b", ["a b"]), ("/a%2Fb/c", ["a/b", "c"]), ("/%C3%A9", ["é"]),
            ("/a/./b", ["a", "b"]), ("/a/../b", ["b"]), ("/../../a", ["a"]), ("/a/..", [""]), ("/a/b/..", ["a", ""]),
            ("/a/.", ["a", ""]), ("/%2e%2E/a", ["a"]), ("/a/%2e/b", ["a", "b"]), ("/a+b", ["a+b"]), ("/...", ["..."]),
            ("/..%2fa", ["../a"]),
        ]
    )
    func segments(_ path: String, _ segments: [String]) throws {
        #expect(try RequestPath.segments(of: Array(path.utf8)[...]) == segments)
    }

    @Test(
        "A path that is no path is refused",
        arguments: ["", "a", "*", "/%", "/%1", "/%zz", "/%00", "/%0a", "/%7F", "/%ff"]
    )
    func refuses(_ path: String) {
        #expect(throws: HTTPFault.badRequest(.target)) { try RequestPath.segments(of: Array(path.utf8)[...]) }
    }

    @Test("Forms are split before they are decoded, and what is sent twice is there twice")
    func forms() throws {
        let pairs = try FormEncoding.pairs(Array("a=1&b=x+y%26z&&c&=d&a=2&e==f".utf8)[...])
        #expect(pairs.map(\.name) == ["a", "b", "c", "", "a", "e"])
        #expect(pairs.map(\.value) == ["1", "x y&z", "", "d", "2", "=f"])
        #expect(try FormEncoding.pairs([]).isEmpty)
        for bad in ["a=%", "%zz=1", "a=%00", "a=%ff"] {
            #expect(throws: HTTPFault.badRequest(.target)) { try FormEncoding.pairs(Array(bad.utf8)[...]) }
        }
    }
}
