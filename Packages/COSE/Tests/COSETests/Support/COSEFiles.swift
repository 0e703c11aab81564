/// `cose-keys.json` of the vectors.
struct KeyFile: Decodable {
    struct Case: Decodable {
        let id: String
        let operation: String
        let key: String
        let verdict: String
        let spki: String?
        let algorithm: Int?

        init(from decoder: any Decoder) throws {
            let members = try decoder.members(known: ["id", "operation", "requires", "input", "expected"])
            id = try members.value("id")
            operation = try members.value("operation")
            key = try members.value("input", as: Input.self).key
            let expected: Expected = try members.value("expected")
            verdict = expected.verdict
            spki = expected.spki
            algorithm = expected.algorithm
        }
    }

    struct Input: Decodable {
        let key: String

        init(from decoder: any Decoder) throws {
            key = try decoder.members(known: ["key"]).value("key")
        }
    }

    struct Expected: Decodable {
        let verdict: String
        let spki: String?
        let algorithm: Int?

        init(from decoder: any Decoder) throws {
            let members = try decoder.members(known: ["verdict", "reason", "spki", "alg"])
            verdict = try members.value("verdict")
            spki = try members.valueIfPresent("spki")
            algorithm = try members.valueIfPresent("alg")
        }
    }

    let cases: [Case]

    init(from decoder: any Decoder) throws {
        cases = try decoder.members(known: ["source", "licence", "description", "side", "cases"]).value("cases")
    }
}

/// `cose-sign.json` of the vectors.
struct MessageFile: Decodable {
    struct Case: Decodable {
        let id: String
        let operation: String
        let input: Input
        let verdict: String

        init(from decoder: any Decoder) throws {
            let members = try decoder.members(
                known: ["id", "operation", "category", "requires", "input", "expected"]
            )
            id = try members.value("id")
            operation = try members.value("operation")
            input = try members.value("input")
            verdict = try members.value("expected", as: KeyFile.Expected.self).verdict
        }
    }

    struct Input: Decodable {
        let message: String
        let structure: String
        let key: String
        let externalAAD: String
        let toBeSigned: String?

        init(from decoder: any Decoder) throws {
            let members = try decoder.members(
                known: ["message", "structure", "key", "externalAad", "toBeSigned"]
            )
            message = try members.value("message")
            structure = try members.value("structure")
            key = try members.value("key")
            externalAAD = try members.value("externalAad")
            toBeSigned = try members.valueIfPresent("toBeSigned")
        }
    }

    let cases: [Case]

    init(from decoder: any Decoder) throws {
        cases = try decoder.members(known: ["source", "licence", "description", "side", "cases"]).value("cases")
    }
}

extension KeyedDecodingContainer<MemberName> {
    func valueIfPresent<Value: Decodable>(_ name: String) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: MemberName(stringValue: name))
    }
}
