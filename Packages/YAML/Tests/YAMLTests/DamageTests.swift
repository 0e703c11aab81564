import Testing

import YAML

@Suite("Damaged files")
struct DamageTests {
    private static let whole = Array(
        """
        %YAML 1.2
        ---
        # a comment with \u{fc}
        listen: [localhost:8080, "[::1]:8080", 'it''s']
        limits: {a: 1.5e3, b: 0x1F, c: ~}
        anchors:
          - &one {x: !!str 1}
          - *one
        text: |+
          first
            second

        folded: >-
          one
          two
        "escapes\\u00e9\\x41": "\\"\\n\\t"
        ? long
        : value
        ...

        """.utf8
    )

    @Test("The whole file is read")
    func sound() throws {
        #expect(try YAML.parse(Self.whole, file: "f").members?.count == 7)
    }

    @Test("Cut off at every length it is read or refused, and never traps")
    func truncated() {
        var refused = 0
        for count in 0..<Self.whole.count {
            do throws(YAMLError) {
                _ = try YAML.parse(Self.whole.prefix(count), file: "f")
            } catch {
                refused += 1
                #expect(error.position.line >= 1 && error.position.column >= 1)
            }
        }
        #expect(refused > 0)
    }

    @Test("With one bit flipped at every place it is read or refused, and never traps")
    func flipped() {
        var refused = 0
        for index in Self.whole.indices {
            for bit in 0..<8 {
                var bytes = Self.whole
                bytes[index] ^= 1 << bit
                do throws(YAMLError) {
                    let node = try YAML.parse(bytes, file: "f")
                    // What is read can be written and read again.
                    #expect((try? YAML.parse(Array(node.written().utf8), file: "g")) != nil)
                } catch {
                    refused += 1
                    #expect(!error.description.isEmpty)
                }
            }
        }
        #expect(refused > 100)
    }
}
