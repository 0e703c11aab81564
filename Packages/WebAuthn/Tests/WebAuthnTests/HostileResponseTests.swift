import Encodings
import Testing
import WebAuthn

@Suite("Cut and flipped responses", .enabled(if: SharedVectors.areThere, SharedVectors.skipped))
struct HostileResponseTests {
    private static let parts: [String: [String]] = [
        "registration": ["clientDataJSON", "attestationObject"],
        "authentication": ["clientDataJSON", "authenticatorData", "signature", "userHandle"],
    ]

    /// The accepting cases of the pitfalls file.
    private static func accepting() throws -> [JSONObject] {
        try SharedVectors.cases("pitfalls").filter { $0["expect"]?.string == "accept" }
    }

    /// The case with one part of its response exchanged.
    private static func spoiled(_ pitfall: JSONObject, _ part: String, _ bytes: some Sequence<UInt8>) throws
        -> JSONObject
    {
        var credential = try pitfall.object("credential")
        var response = try credential.object("response")
        response[part] = .string(Base64URL.encode(Array(bytes)))
        credential["response"] = .object(response)
        var spoiled = pitfall
        spoiled["credential"] = .object(credential)
        return spoiled
    }

    @Test("Every accepting case, cut at every length of every part, is refused cleanly")
    func cuts() throws {
        for pitfall in try Self.accepting() {
            let id = try pitfall.text("id")
            let response = try pitfall.object("credential").object("response")
            for part in try #require(Self.parts[try pitfall.text("operation")]) {
                guard let text = response[part]?.string else { continue }
                let bytes = try Base64URL.decode(text, padding: .optional)
                for count in 0..<bytes.count {
                    let cut = Array(bytes.prefix(count))
                    let isMalformed =
                        switch part {
                        case "clientDataJSON":
                            Self.isMalformed { () throws(ResponseError) in try ClientData(decoding: cut) }
                        case "attestationObject":
                            Self.isMalformed { () throws(ResponseError) in try AttestationObject(decoding: cut) }
                        case "authenticatorData":
                            Self.isMalformed { () throws(ResponseError) in try AuthenticatorData(decoding: cut) }
                        default: false
                        }
                    // What is still whole, as far as its form goes, and a few of the others go the whole way.
                    guard !isMalformed || count % 50 == 0 else { continue }
                    // An empty user handle is an absent one, which some of them may have.
                    if part == "userHandle", count == 0 { continue }
                    let answer = try VectorRunner().answer("ceremony", id, try Self.spoiled(pitfall, part, cut))
                    if answer["verdict"]?.string == "accept" {
                        // Nobody signed the client data of an unattested registration: white space may go.
                        let rest = bytes.dropFirst(count)
                        #expect(part == "clientDataJSON" && rest.allSatisfy { [0x20, 0x0a].contains($0) }, "\(id)")
                        continue
                    }
                    #expect(answer["step"] != nil, "\(id): \(part) cut after \(count)")
                }
            }
        }
    }

    private static func isMalformed<Part>(_ read: () throws(ResponseError) -> Part) -> Bool {
        do throws(ResponseError) {
            _ = try read()
            return false
        } catch {
            return true
        }
    }

    @Test(
        "A flipped bit at any place never traps, and is refused wherever a signature covers it",
        arguments: [
            "ext-reg-at-ed", "packed-self", "packed-x5c", "rsa-hello-reg", "ed-ok", "ext-auth-ed", "rsa-hello-auth",
            "uh-same-discoverable",
        ]
    )
    func flips(_ id: String) throws {
        let pitfall = try #require(try SharedVectors.cases("pitfalls").first { $0["id"]?.string == id })
        let isLogin = try pitfall.text("operation") == "authentication"
        let response = try pitfall.object("credential").object("response")
        for part in try #require(Self.parts[try pitfall.text("operation")]) {
            guard let text = response[part]?.string else { continue }
            let bytes = try Base64URL.decode(text, padding: .optional)
            for bit in 0..<(bytes.count * 8) {
                var flipped = bytes
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                let answer = try VectorRunner().answer("ceremony", id, try Self.spoiled(pitfall, part, flipped))
                let verdict = try answer.text("verdict")
                #expect(["accept", "reject"].contains(verdict), "\(id): bit \(bit) of \(part)")
                if isLogin {
                    #expect(verdict == "reject", "\(id): bit \(bit) of \(part)")
                }
            }
        }
    }

    @Test("A response whose members have other types, or are missing, is refused cleanly")
    func members() throws {
        let others: [JSONValue] = [.null, 7, true, [], .object(JSONObject()), "", "*", "AA==="]
        for id in ["ed-ok", "uh-same-discoverable"] {
            let pitfall = try #require(try SharedVectors.cases("pitfalls").first { $0["id"]?.string == id })
            let credential = try pitfall.object("credential")
            for name in ["id", "rawId", "type", "response"] {
                for other in others {
                    var spoiled = credential
                    spoiled[name] = other
                    try expectMalformed(pitfall, spoiled, "\(id): \(name) \(other)")
                }
            }
            let response = try credential.object("response")
            for name in try #require(Self.parts[try pitfall.text("operation")]) {
                for other in others {
                    var spoiled = response
                    spoiled[name] = other
                    var outer = credential
                    outer["response"] = .object(spoiled)
                    try expectMalformed(pitfall, outer, "\(id): \(name) \(other)")
                }
            }
        }
    }

    private func expectMalformed(_ pitfall: JSONObject, _ credential: JSONObject, _ what: String) throws {
        var spoiled = pitfall
        spoiled["credential"] = .object(credential)
        let answer = try VectorRunner().answer("ceremony", "spoiled", spoiled)
        #expect(answer["verdict"]?.string == "reject", "\(what)")
        #expect(answer["reason"]?.string == "invalid_authn_response", "\(what): \(answer)")
    }
}
