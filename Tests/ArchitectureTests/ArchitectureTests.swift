import Foundation
import Testing

@Suite("The house: each line in its room")
struct ArchitectureTests {
    let house = House.here

    @Test("Every package stands in the level table, and every row of the table is a package")
    func table() {
        #expect(Set(house.packages) == Set(LevelTable.rows.keys))
    }

    @Test("Rows of the table import strictly downwards")
    func downwards() throws {
        for (name, row) in LevelTable.rows {
            for imported in row.mayImport {
                let below = try #require(
                    LevelTable.rows[imported]?.level,
                    "\(name) may import \(imported), which is no row"
                )
                #expect(below < row.level, "\(name) (level \(row.level)) may not import \(imported) (level \(below))")
            }
        }
    }

    @Test("A manifest declares nothing that the table does not allow", arguments: House.here.packages)
    func manifest(package: String) throws {
        let manifest = Manifest(try house.text("Packages/\(package)/Package.swift"))
        let row = try #require(LevelTable.rows[package])
        let inTests = testOnlyPackages(manifest)
        let allowed = row.mayImport.union(row.level > 0 ? ["Encodings"] : [])
        #expect(manifest.packages.subtracting(inTests).subtracting(allowed) == [])
    }

    @Test("A target imports what its manifest declares for it, and all of that", arguments: House.here.packages)
    func imports(package: String) throws {
        let manifest = Manifest(try house.text("Packages/\(package)/Package.swift"))
        for target in house.children(of: "Packages/\(package)/Sources") {
            guard let declared = manifest.targets[target], declared.kind != "systemLibrary" else { continue }
            var seen = Set<String>()
            for file in house.swiftFiles(below: "Packages/\(package)/Sources/\(target)") {
                let imported = try house.imports(of: file).subtracting(LevelTable.language)
                let foundation = imported.intersection(["Foundation", "FoundationEssentials"])
                #expect(foundation.isSubset(of: ["FoundationEssentials"]), "\(file)")
                #expect(foundation.isEmpty || !LevelTable.withoutFoundation.contains(target), "\(file)")
                seen.formUnion(imported.subtracting(foundation))
            }
            #expect(
                seen.subtracting(declared.dependencies) == [],
                "\(package)/\(target) imports what it does not declare"
            )
            #expect(
                declared.dependencies.subtracting(seen) == [],
                "\(package)/\(target) declares what it does not import"
            )
        }
    }

    @Test("The language settings of all manifests are the same")
    func settings() throws {
        func settings(_ path: String) throws -> String {
            let text = try house.text(path)
            let start = try #require(text.range(of: "let settings: [SwiftSetting] = ["), "\(path)")
            let end = try #require(text.range(of: "\n]\n", range: start.upperBound..<text.endIndex), "\(path)")
            return String(text[start.lowerBound..<end.upperBound])
        }
        let root = try settings("Package.swift")
        for package in house.packages {
            #expect(try settings("Packages/\(package)/Package.swift") == root, "\(package)")
        }
    }

    @Test("Every target is built with the settings", arguments: House.here.packages)
    func everyTargetHasSettings(package: String) throws {
        let text = try house.text("Packages/\(package)/Package.swift")
        let targets = text.matches(of: /\.(target|testTarget|executableTarget)\(\s*name:/).count
        #expect(text.matches(of: /swiftSettings: settings/).count == targets)
    }

    @Test("A C library is wrapped by one package and is no product", arguments: House.here.packages)
    func cLibraries(package: String) throws {
        let manifest = Manifest(try house.text("Packages/\(package)/Package.swift"))
        let libraries = Set(manifest.targets.filter { $0.value.kind == "systemLibrary" }.keys)
        let products = manifest.text.matches(of: /\.library\(name: "\w+", targets: \[([^\]]*)\]\)/).map { String($0.1) }
        for library in libraries {
            #expect(!products.contains { $0.contains("\"\(library)\"") }, "\(library) is a product of \(package)")
        }
        for other in house.packages where other != package {
            let foreign = Manifest(try house.text("Packages/\(other)/Package.swift"))
            #expect(libraries.intersection(foreign.targets.keys) == [], "\(package) and \(other) wrap the same library")
        }
        for target in house.children(of: "Packages/\(package)/Sources") {
            for file in house.swiftFiles(below: "Packages/\(package)/Sources/\(target)") {
                let text = try house.text(file)
                for library in libraries {
                    #expect(!text.contains("public import \(library)"), "\(file) lets \(library) out")
                }
            }
        }
    }

    @Test("Only test targets import the store contract")
    func storeContract() throws {
        for package in house.packages where package != "StoreContract" {
            let manifest = Manifest(try house.text("Packages/\(package)/Package.swift"))
            for (name, target) in manifest.targets where target.kind != "testTarget" {
                #expect(!target.dependencies.contains("StoreContract"), "\(name)")
            }
        }
    }

    @Test("The apps import packages and no adapter")
    func apps() throws {
        let adapters: Set<String> = ["StoreSQLite", "StorePostgres", "StoreSQL", "CacheInMemory", "CacheRedis"]
        for file in house.swiftFiles(below: "Apps") where !file.hasSuffix("Package.swift") {
            #expect(try house.imports(of: file).intersection(adapters) == [], "\(file)")
        }
    }

    @Test("The top level is the house's plan and nothing else")
    func topLevel() {
        let plan: Set<String> = [
            "Package.swift", "Packages", "Apps", "Tests", "docker-compose.yml", "docs", "README.md", "Makefile",
            "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE",
        ]
        let made: Set<String> = ["latchkey-data", "Package.resolved"]
        let found = Set(house.children(of: ".").filter { !$0.hasPrefix(".") })
        #expect(found.subtracting(plan).subtracting(made) == [])
    }

    @Test("No file is called after a leftover")
    func names() {
        for file in house.swiftFiles(below: "Packages") + house.swiftFiles(below: "Apps") {
            let name = file.split(separator: "/").last.map(String.init) ?? file
            for word in ["Manager", "Helper", "Utils", "Util.", "Misc"] {
                #expect(!name.contains(word), "\(file)")
            }
        }
    }

    @Test("Product code says no `try!`, no `as!` and no unchecked escape", arguments: ["Packages", "Apps"])
    func escapes(folder: String) throws {
        for file in house.swiftFiles(below: folder) where !file.contains("/Tests/") {
            for (number, line) in try house.text(file).split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
                // Without its provider, memory or random bytes no answer of libcrypto's wrapper could be trusted.
                let isOutOfCryptography = file.hasPrefix("Packages/Cryptography/") && code.contains("fatalError(\"")
                for escape in ["try!", "as!", "fatalError(", "nonisolated(unsafe)", "unowned(unsafe)"]
                where !isOutOfCryptography {
                    #expect(!code.contains(escape), "\(file):\(number + 1)")
                }
            }
        }
    }

    /// The packages that only test targets of this manifest use.
    private func testOnlyPackages(_ manifest: Manifest) -> Set<String> {
        let used = manifest.targets.values.filter { $0.kind != "testTarget" }.flatMap(\.dependencies)
        return manifest.packages.subtracting(used)
    }
}
