/// One `sig-*.json` of the vectors.
struct SignatureFile: Decodable {
    struct Key: Decodable {
        let spki: String

        init(from decoder: any Decoder) throws {
            spki = try decoder.members(known: ["spki", "cose"]).value("spki")
        }
    }

    struct Case: Decodable {
        let id: String
        let operation: String
        let key: String
        let message: String
        let signature: String
        let flags: [String]
        let verdict: String

        init(from decoder: any Decoder) throws {
            let members = try decoder.members(
                known: ["id", "operation", "tcId", "key", "message", "signature", "flags", "expected"]
            )
            id = try members.value("id")
            operation = try members.value("operation")
            key = try members.value("key")
            message = try members.value("message")
            signature = try members.value("signature")
            flags = try members.value("flags")
            verdict = try members.value("expected", as: Expected.self).verdict
        }
    }

    struct Expected: Decodable {
        let verdict: String

        init(from decoder: any Decoder) throws {
            verdict = try decoder.members(known: ["verdict", "reason"]).value("verdict")
        }
    }

    let algorithm: Int
    let signatureForm: String
    let keys: [String: Key]
    let flagNotes: [String: String]
    let cases: [Case]

    init(from decoder: any Decoder) throws {
        let members = try decoder.members(
            known: [
                "source", "licence", "description", "side", "algorithm", "signatureForm", "keys", "flagNotes", "cases",
            ]
        )
        algorithm = try members.value("algorithm")
        signatureForm = try members.value("signatureForm")
        keys = try members.value("keys")
        flagNotes = try members.value("flagNotes")
        cases = try members.value("cases")
    }
}
