import Encodings
import Tenancy
import Terminal
import YAML

/// A tenant file as it lies on the disk, read and filled in.
struct DesiredFile {
    /// What errors call it.
    let name: String
    /// As it was written, with its markers.
    let written: String
    /// For the server: without what the tool alone reads.
    private(set) var document: JSONObject
    /// `policy_tests`: a file of cases, beside this one.
    private(set) var policyTests: String?
    private let node: YAMLNode
    private let filled: FilledText

    /// - Throws: `wrongUse`, with file, line and column as written.
    init(_ bytes: [UInt8], name: String, _ environment: [String: String]) throws(CommandFailure) {
        self.name = name
        written = String(decoding: bytes, as: UTF8.self)
        filled = FilledText(bytes, environment)
        guard filled.missing.isEmpty else {
            let lines = filled.missing.map {
                "\(printable(name)):\($0.position.line):\($0.position.column): \($0.name)"
            }
            throw CommandFailure(
                .wrongUse,
                "these names have no value in the environment:\n" + lines.joined(separator: "\n")
            )
        }
        do throws(YAMLError) {
            node = try YAML.parse(filled.bytes, file: name)
        } catch {
            let place = filled.written(error.position)
            throw CommandFailure(.wrongUse, "\(printable(name)):\(place.line):\(place.column): \(error.problem)")
        }
        document = JSONObject()
        guard let members = node.members else {
            throw CommandFailure(.wrongUse, "\(printable(name)):1:1: a tenant file is a map of sections, as clients: …")
        }
        for member in members {
            if member.key == "policy_tests" {
                policyTests = member.value.scalar?.text
            } else {
                document.set(member.key, try json(member.value))
            }
        }
    }

    /// Reads a file; `-` is standard input.
    static func read(_ path: String, _ environment: [String: String]) throws(CommandFailure) -> DesiredFile {
        let bytes = try TextFile.read(path, limit: YAMLLimits().bytes)
        return try DesiredFile(bytes, name: path == "-" ? "standard input" : path, environment)
    }

    /// `file.yaml:14:9: what is wrong.`
    func line(_ path: String, _ message: String) -> String {
        let place = position(of: path)
        return "\(printable(name)):\(place.line):\(place.column): \(printable(message))"
    }

    /// Where `clients[2].mobile.ios.team_id` stands, or what of it is there.
    func position(of path: String) -> YAMLPosition {
        var found = node
        var place = node.position
        var rest = path[...]
        while !rest.isEmpty {
            if rest.hasPrefix(".") { rest = rest.dropFirst() }
            if rest.hasPrefix("[") {
                let digits = rest.dropFirst().prefix { $0 != "]" }
                guard let index = Int(digits), let elements = found.elements, elements.indices.contains(index) else {
                    break
                }
                found = elements[index]
                place = found.position
                rest = rest.dropFirst(digits.count + 2)
                continue
            }
            // A name may have dots in it: the longest that fits.
            let fitting = (found.members ?? []).filter { member in
                rest.hasPrefix(member.key)
                    && (rest.count == member.key.count || ".[".contains(rest.dropFirst(member.key.count).first ?? "."))
            }
            guard let member = fitting.max(by: { $0.key.count < $1.key.count }), !member.key.isEmpty else { break }
            place = member.keyPosition
            found = member.value
            rest = rest.dropFirst(member.key.count)
        }
        return filled.written(place)
    }

    private func json(_ node: YAMLNode) throws(CommandFailure) -> JSONValue {
        switch node.content {
        case .sequence(let elements):
            var values: [JSONValue] = []
            for element in elements { values.append(try json(element)) }
            return .array(values)
        case .mapping(let members):
            var object = JSONObject()
            for member in members { object.set(member.key, try json(member.value)) }
            return .object(object)
        case .scalar(let scalar):
            switch scalar.value {
            case .null: return .null
            case .bool(let bool): return .bool(bool)
            case .integer(let integer): return .integer(integer)
            case .string: return .string(scalar.text)
            case .number(let number):
                guard number.isFinite else {
                    let place = filled.written(node.position)
                    throw CommandFailure(
                        .wrongUse,
                        "\(printable(name)):\(place.line):\(place.column): a number must be finite."
                    )
                }
                return .number(number)
            }
        }
    }
}

/// A tenant as the text of its file.
enum WrittenFile {
    /// - Returns: YAML that reads back as the same.
    static func yaml(_ file: JSONObject) -> String {
        var document = file
        document.remove("version")
        return "# latchkey-tenant export. `latchkey-tenant plan` shows what a change of it does.\n"
            + node(.object(document)).written()
    }

    private static func node(_ value: JSONValue) -> YAMLNode {
        switch value {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .integer(let integer): .integer(integer)
        case .number(let number): YAMLNode(.scalar(YAMLScalar(plain: "\(number)")))
        case .string(let text): .string(text)
        case .array(let elements): .sequence(elements.map(node))
        case .object(let object): .mapping(object.members.map { YAMLMember($0.name, node($0.value)) })
        }
    }
}
