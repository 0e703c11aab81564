import Foundation

/// The checkout that this file was compiled from, read as text.
struct House {
    let root: URL

    static let here = House(
        root: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    )

    /// The names of all packages.
    var packages: [String] { children(of: "Packages") }

    /// The names of the entries of a folder, sorted; none when it does not exist.
    func children(of path: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
        return (names ?? []).sorted()
    }

    func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// All Swift files below a folder, as paths from the root.
    func swiftFiles(below path: String) -> [String] {
        children(of: path).flatMap { name -> [String] in
            let inner = "\(path)/\(name)"
            let kind = try? FileManager.default.attributesOfItem(atPath: root.appending(path: inner).path)[.type]
            if kind as? FileAttributeType == .typeDirectory { return swiftFiles(below: inner) }
            return name.hasSuffix(".swift") ? [inner] : []
        }
    }

    /// The modules that a file imports.
    func imports(of file: String) throws -> Set<String> {
        let pattern =
            /^(?:@[\w()]+ )*(?:public |package |internal |private |fileprivate )?import (?:(?:struct|enum|class|func|protocol|typealias|let|var) )?(\w+)/
        return Set(
            try text(file).split(separator: "\n").compactMap { line in
                (try? pattern.firstMatch(in: line)).flatMap { $0 }.map { String($0.1) }
            }
        )
    }
}

/// A package's manifest, as far as these tests read it.
struct Manifest {
    let text: String
    /// The paths of the packages it depends on, as names.
    let packages: Set<String>
    /// The targets, by name.
    let targets: [String: Target]

    struct Target {
        let kind: String
        let dependencies: Set<String>
    }

    init(_ text: String) {
        self.text = text
        packages = Set(text.matches(of: /\.package\(path: "\.\.\/(\w+)"\)/).map { String($0.1) })
        var targets: [String: Target] = [:]
        let calls = text.matches(of: /\.(target|testTarget|executableTarget|systemLibrary)\(\s*name: "(\w+)"/)
        for (index, call) in calls.enumerated() {
            let end = index + 1 < calls.count ? calls[index + 1].range.lowerBound : text.endIndex
            let body = text[call.range.upperBound..<end]
            let list = body.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
            targets[String(call.2)] = Target(
                kind: String(call.1),
                dependencies: Set(list.matches(of: /"(\w+)"/).map { String($0.1) })
            )
        }
        self.targets = targets
    }
}
