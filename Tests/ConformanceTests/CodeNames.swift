/// What the sources of the packages and the apps declare: the members of each type, and the names of the files.
struct CodeNames {
    private(set) var members: [String: Set<String>] = [:]
    private(set) var files: Set<String> = []

    init() throws {
        for folder in ["Packages", "Apps"] {
            for file in Repository.files(below: folder, ending: ".swift") where !file.contains("Tests/") {
                files.insert(file.split(separator: "/").last.map(String.init) ?? file)
                read(try Repository.text(file))
            }
        }
    }

    /// Whether there is this member of a type, or, as `name.swift`, this file.
    func has(_ type: String, _ member: String) -> Bool {
        member == "swift" ? files.contains("\(type).swift") : members[type]?.contains(member) == true
    }

    /// A member belongs to the last type that began four columns further left.
    private mutating func read(_ source: String) {
        var owners: [Int: String] = [:]
        for line in source.split(separator: "\n") {
            let indentation = line.prefix { $0 == " " }.count
            let words = line.dropFirst(indentation)
            if let type = words.firstMatch(of: /^(?:[a-z@]+ )*(?:struct|class|enum|actor|protocol|extension) ([\w.]+)/)
            {
                let name = type.1.split(separator: ".").last.map(String.init) ?? ""
                owners[indentation] = name
                members[name, default: []].formUnion([])
                continue
            }
            guard let owner = owners[indentation - 4] else { continue }
            if let member = words.firstMatch(of: /^(?:[a-z]+(?:\(\w+\))? )*(?:func|let|var) (\w+)/) {
                members[owner, default: []].insert(String(member.1))
            } else if let cases = words.firstMatch(of: /^(?:indirect )?case (.+)/) {
                for name in cases.1.matches(of: /(?:^|, )(\w+)/) { members[owner, default: []].insert(String(name.1)) }
            } else if words.contains(/^(?:[a-z]+ )*init[?(<]/) {
                members[owner, default: []].insert("init")
            }
        }
    }
}
