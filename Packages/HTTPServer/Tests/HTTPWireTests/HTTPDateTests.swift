import HTTPWire
import Testing

@Suite("RFC 9110 §5.6.7: dates")
struct HTTPDateTests {
    @Test(
        "A second becomes the date it is",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func writes(_ seconds: Int64, _ text: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.field(seconds) == Array("Date: \(text)\r\n".utf8))
    }
}
