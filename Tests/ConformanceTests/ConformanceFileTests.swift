import Foundation
import Testing

/// What `docs/conformance.md` and `README.md` name as proof has to be there.
@Suite("docs/conformance.md names tests that exist")
struct ConformanceFileTests {
    @Test("Every test and every fault that is named exists", arguments: ["docs/conformance.md", "README.md"])
    func names(_ page: String) throws {
        let tests = try TestNames()
        let faults = try Self.faults()
        var count = 0
        for (number, line) in try Repository.text(page).split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            for match in line.matches(of: /`(\w+)\/(\w+)`/) {
                count += 1
                #expect(
                    tests.functions[String(match.1)]?.contains(String(match.2)) == true,
                    "\(page):\(number + 1): there is no test \(match.1)/\(match.2)"
                )
            }
            for match in line.matches(of: /`\.([a-z]\w+)`/) {
                #expect(faults.contains(String(match.1)), "\(page):\(number + 1): there is no fault .\(match.1)")
            }
            for match in line.matches(of: /`(\w+Tests)`/) {
                count += 1
                #expect(
                    tests.functions[String(match.1)] != nil,
                    "\(page):\(number + 1): there is no suite \(match.1)"
                )
            }
        }
        #expect(count > 5, "\(page) names tests")
    }

    @Test("Every file and every member of a type that is named exists")
    func code() throws {
        let code = try CodeNames()
        let page = "docs/conformance.md"
        var count = 0
        for (number, line) in try Repository.text(page).split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            for match in line.matches(of: /`([A-Z]\w+)\.([a-z]\w*)`/) {
                count += 1
                let (type, member) = (String(match.1), String(match.2))
                #expect(code.has(type, member), "\(page):\(number + 1): there is no \(type).\(member)")
            }
        }
        #expect(count > 100, "\(page) names code")
    }

    @Test("What does not exist is noticed")
    func missingCode() throws {
        let code = try CodeNames()
        #expect(code.has("RelyingParty", "verify") && code.has("CBOR", "swift"))
        #expect(!code.has("RelyingParty", "verifies") && !code.has("RelyingParties", "verify"))
        #expect(!code.has("NoSuchFile", "swift"))
    }

    @Test(
        "Each numbered step of a ceremony has a row of its own, with code and tests",
        arguments: [("§7.1: ", 29), ("§7.2: ", 25)]
    )
    func steps(_ section: String, _ count: Int) throws {
        let text = try Repository.text("docs/conformance.md")
        let start = try #require(text.range(of: "## WebAuthn Level 3 \(section)")?.upperBound)
        let rows = text[start...].split(separator: "\n").drop { !$0.hasPrefix("| --- ") }.dropFirst()
            .prefix { $0.hasPrefix("|") }
        for step in 1...count {
            let cells = try #require(
                rows.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
                    .first { $0.first == "\(step)" },
                "\(section)step \(step)"
            )
            #expect(cells.count == 4 && cells.allSatisfy { !$0.isEmpty }, "\(section)step \(step)")
        }
    }

    private static func faults() throws -> Set<String> {
        let path = "Packages/SoftwareAuthenticator/Sources/SoftwareAuthenticator/Faults/Fault.swift"
        let line = /^    case (\w+)$/.anchorsMatchLineEndings()
        return Set(try Repository.text(path).matches(of: line).map { String($0.1) })
    }
}

/// The test functions of the sources, by the type that they stand in.
struct TestNames {
    private(set) var functions: [String: Set<String>] = [:]

    init() throws {
        for folder in ["Packages", "Tests"] {
            for file in Repository.files(below: folder, ending: ".swift") where file.contains("Tests/") {
                read(try Repository.text(file))
            }
        }
    }

    /// A function belongs to the last type that began four columns further left.
    private mutating func read(_ source: String) {
        var owners: [Int: String] = [:]
        var isTest = false
        for line in source.split(separator: "\n") {
            let indentation = line.prefix { $0 == " " }.count
            let words = line.dropFirst(indentation)
            if let type = words.firstMatch(of: /^(?:[a-z]+ )*(?:struct|class|enum|actor|extension) ([\w.]+)/) {
                let name = type.1.split(separator: ".").last.map(String.init) ?? ""
                owners[indentation] = name
                functions[name, default: []].formUnion([])
            }
            if words.hasPrefix("@Test") { isTest = true }
            if let function = words.firstMatch(of: /^(?:@Test.* )?(?:[a-z]+ )*func (\w+)/) {
                if isTest, let owner = owners[indentation - 4] {
                    functions[owner, default: []].insert(String(function.1))
                }
                isTest = false
            }
        }
    }
}
