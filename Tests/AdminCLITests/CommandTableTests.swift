import Encodings
import Identity
import Tenancy
import Terminal
import Testing
import WebAuthn

@testable import AdminCLI

@Suite("latchkey-admin: commands and their words")
struct CommandTableTests {
    @Test("The table has no faults, and every command has help")
    func table() {
        let program = AdminProgram.make(.live)
        #expect(program.faults() == [])
        for command in program.commands {
            #expect(program.help([command.name]).contains("Usage: latchkey-admin"))
            for inner in command.commands {
                #expect(program.help([command.name, inner.name]).contains("Examples"))
            }
        }
    }

    @Test("Every command that was promised is there")
    func commands() {
        let program = AdminProgram.make(.live)
        for line in [
            "tenant create", "tenant list", "tenant show", "tenant set", "tenant suspend", "tenant resume",
            "domain add", "domain list", "domain show",
            "domain set", "domain verify", "domain remove", "rp status", "rp cut-over", "client create",
            "client list", "client show", "client set", "connection list", "connection show", "connection set",
            "grant list", "grant create", "master-key create", "user list", "user show", "passkey list",
            "passkey revoke", "user block", "user unblock", "user unlock", "user export", "session list",
            "session revoke", "key list", "ceremony list", "ceremony explain", "vectors", "decode",
            "migrate status", "migrate up", "doctor", "report adoption", "tenant delete",
            "mail test", "mail list", "mail retry",
        ] {
            #expect(program.find(line.split(separator: " ").map(String.init))?.action != nil, "\(line)")
        }
    }

    @Test("--grant knows short names, full names, and lists with commas")
    func grants() throws {
        #expect(try GrantTypeNames.read(["passkey,refresh", "m2m"]) == [.webAuthn, .refreshToken, .clientCredentials])
        #expect(try GrantTypeNames.read(["password"]) == [.password, .passwordRealm])
        #expect(try GrantTypeNames.read(["code", "authorization_code"]) == [.authorizationCode])
        #expect(try GrantTypeNames.read([GrantType.webAuthn.rawValue]) == [.webAuthn])
        let failure = #expect(throws: CommandFailure.self) { try GrantTypeNames.read(["paskey"]) }
        #expect(failure?.exit == .wrongUse && failure?.message.contains("Did you mean passkey?") == true)
    }

    @Test("member=JSON takes JSON, or else a string; dots reach in")
    func members() throws {
        let patch = try MemberWords.patch(["a=1", "b.c=true", "d=Acme AB", "e=null", "f=\"1\"", "g=a=b"])
        let document = patch.applied(to: ["b": ["x": 1], "e": 2])
        #expect(
            document == ["a": 1, "b": ["x": 1, "c": true], "d": "Acme AB", "f": "1", "g": "a=b"]
        )
        for word in ["a", "=1", "a..b=1", ".=1"] {
            #expect(throws: CommandFailure.self) { try MemberWords.patch([word]) }
        }
    }

    @Test("--since takes a number and its unit", arguments: [("30s", 30_000), ("15m", 900_000), ("2h", 7_200_000)])
    func ages(_ text: String, _ milliseconds: Int64) throws {
        #expect(try Age.milliseconds(text) == milliseconds)
    }

    @Test("What is no age is refused", arguments: ["", "m", "15", "-1m", "1w", "99999999999999999999s", "9999999d"])
    func badAges(_ text: String) {
        #expect(throws: CommandFailure.self) { try Age.milliseconds(text) }
    }

    @Test("Every reason of a refusal has a meaning and a remedy", arguments: CeremonyReason.allCases)
    func explanations(_ reason: CeremonyReason) {
        let explanation = CeremonyExplanation.of(reason.rawValue)
        #expect(explanation.meaning.hasSuffix(".") && explanation.remedy.hasSuffix("."))
        #expect(explanation.meaning != CeremonyExplanation.of("something else").meaning)
    }

    @Test("The owner of data that is not there yet is the owner of its folder")
    func dataOwner() {
        #expect(DataOwner.find("/nowhere/at/all/latchkey.db")?.user == 0)
        #expect(DataOwner.find("latchkey.db") != nil)
        #expect(DataOwner.find("/") != nil)
    }
}
