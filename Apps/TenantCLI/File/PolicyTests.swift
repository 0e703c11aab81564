import Encodings
import Identity
import Passkeys
import Terminal
import WebAuthn
import YAML

/// Cases of a policy: what an authenticator says, and what is expected of it.
struct PolicyTests {
    private let file: String
    private let cases: [Case]

    private struct Case {
        let name: String
        let connection: String
        let isRegistration: Bool
        let facts: AuthenticatorFacts
        /// `accept`, or a reason.
        let expected: String
        let position: YAMLPosition
    }

    /// Reads a YAML list of `name`, `connection`, `ceremony`, `facts`, `expect`.
    ///
    /// - Throws: `wrongUse`, with file, line and column.
    init(_ path: String) throws(CommandFailure) {
        file = path
        let bytes = try TextFile.read(path, limit: YAMLLimits().bytes)
        let node: YAMLNode
        do throws(YAMLError) {
            node = try YAML.parse(bytes, file: path)
        } catch { throw CommandFailure(.wrongUse, "\(error)") }
        guard let elements = node.elements else { throw Self.wrong(path, node, "policy tests are a list of cases") }
        var cases: [Case] = []
        for element in elements { cases.append(try Self.read(element, path)) }
        self.cases = cases
    }

    /// Runs every case against the policies of `connections`, by name.
    ///
    /// - Returns: a row for each case: `name`, `connection`, `expected`, `got`, `passed`.
    /// - Throws: `wrongUse` for a connection that is none.
    func run(on connections: [(name: String, options: ConnectionOptions)]) throws(CommandFailure) -> [JSONObject] {
        var rows: [JSONObject] = []
        for test in cases {
            guard
                let options = connections.first(where: { $0.name.utf8.elementsEqual(test.connection.utf8) })?.options
            else {
                throw CommandFailure(
                    .wrongUse,
                    "\(printable(file)):\(test.position.line):\(test.position.column): there is no connection "
                        + "\(quoted(test.connection))."
                )
            }
            let refusal =
                test.isRegistration
                ? PolicyTrial.registration(test.facts, by: options.passkey)
                : PolicyTrial.authentication(test.facts, by: options.passkey)
            let got = refusal?.reason.rawValue ?? "accept"
            rows.append([
                "name": .string(test.name), "connection": .string(test.connection), "expected": .string(test.expected),
                "got": .string(got), "rule": refusal?.policy.map { .string($0.rawValue) } ?? .null,
                "passed": .bool(got == test.expected),
            ])
        }
        return rows
    }

    private static func read(_ node: YAMLNode, _ file: String) throws(CommandFailure) -> Case {
        for member in node.members ?? [] {
            let known = ["name", "connection", "ceremony", "facts", "expect"]
            guard known.contains(member.key) else {
                throw wrong(file, member.keyPosition, "a case has no member \(quoted(member.key))")
            }
        }
        func text(_ name: String) throws(CommandFailure) -> String {
            guard let value = node[name], let scalar = value.scalar, !value.isNull else {
                throw wrong(file, node[name] ?? node, "a case needs \(name), a text")
            }
            return scalar.text
        }
        let ceremony = try text("ceremony")
        guard ceremony == "registration" || ceremony == "authentication" else {
            throw wrong(file, node["ceremony"] ?? node, "ceremony is registration or authentication")
        }
        let expected = try text("expect")
        let reasons = CeremonyReason.allCases.map(\.rawValue)
        guard expected == "accept" || reasons.contains(expected) else {
            let nearest = nearestName(to: expected, among: ["accept"] + reasons).map { ". Did you mean \($0)?" }
            throw wrong(
                file,
                node["expect"] ?? node,
                "expect is \(quoted(expected)), which is neither accept nor a reason" + (nearest ?? "")
            )
        }
        return Case(
            name: try text("name"),
            connection: try text("connection"),
            isRegistration: ceremony == "registration",
            facts: try facts(node["facts"], file),
            expected: expected,
            position: node.position
        )
    }

    private static func facts(_ node: YAMLNode?, _ file: String) throws(CommandFailure) -> AuthenticatorFacts {
        var facts = AuthenticatorFacts()
        for member in node?.members ?? [] {
            let value = member.value
            func bool() throws(CommandFailure) -> Bool {
                guard case .bool(let bool)? = value.scalar?.value else {
                    throw wrong(file, value, "\(member.key) is true or false")
                }
                return bool
            }
            switch member.key {
            case "fmt": facts.format = value.scalar?.text ?? ""
            case "trusted": facts.isTrusted = try bool()
            case "uv": facts.userVerified = try bool()
            case "be": facts.backupEligible = try bool()
            case "bs": facts.backedUp = try bool()
            case "alg":
                guard case .integer(let number)? = value.scalar?.value, let algorithm = Int(exactly: number) else {
                    throw wrong(file, value, "alg is a COSE number, as -7")
                }
                facts.algorithm = algorithm
            case "aaguid":
                guard let aaguid = AAGUID(value.scalar?.text ?? "") else {
                    throw wrong(file, value, "aaguid is a UUID")
                }
                facts.aaguid = aaguid
            default:
                throw wrong(
                    file,
                    member.keyPosition,
                    "there is no fact \(quoted(member.key)): use fmt, trusted, alg, aaguid, uv, be, bs"
                )
            }
        }
        return facts
    }

    private static func wrong(_ file: String, _ node: YAMLNode, _ problem: String) -> CommandFailure {
        wrong(file, node.position, problem)
    }

    private static func wrong(_ file: String, _ place: YAMLPosition, _ problem: String) -> CommandFailure {
        let sentence = problem.hasSuffix("?") ? problem : problem + "."
        return CommandFailure(.wrongUse, "\(printable(file)):\(place.line):\(place.column): \(sentence)")
    }

    /// The policies of a tenant file's databases, as they would be.
    static func connections(
        of document: JSONObject
    ) throws(CommandFailure) -> [(name: String, options: ConnectionOptions)] {
        var found: [(name: String, options: ConnectionOptions)] = []
        for database in document["databases"]?.array?.compactMap(\.object) ?? [] {
            found.append((database.text("name"), try options(database)))
        }
        return found
    }

    /// The policy of a connection as the Management API or a file has it.
    static func options(_ connection: JSONObject) throws(CommandFailure) -> ConnectionOptions {
        do throws(DocumentError) {
            return try ConnectionOptions(document: connection["options"]?.object ?? JSONObject())
        } catch {
            throw CommandFailure(.failed, "the policy of \(quoted(connection.text("name"))) cannot be read: \(error)")
        }
    }
}
