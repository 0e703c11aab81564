import Identity
import Testing

@testable import Accounts

@Suite("9.1: what a password must be like")
struct PasswordRulesTests {
    private func isKept(_ strength: PasswordStrength, _ password: String) throws -> Bool {
        var options = PasswordOptions()
        options.strength = strength
        return PasswordRules(options).judge(try #require(PasswordText(password))).isKept
    }

    @Test(
        "Each named policy takes what it says and nothing less",
        arguments: [
            (.none, "a", true), (.low, "aaaaaa", true), (.low, "aaaaa", false),
            (.fair, "Abcdefg1", true), (.fair, "Abcdef1", false), (.fair, "abcdefg1", false),
            (.fair, "Abcdefgh", false), (.fair, "ABCDEFG1", false),
            (.good, "Abcdefg1", true), (.good, "abcdefg1!", true), (.good, "Abcdefgh", false),
            (.good, "Abcde1!", false),
            (.excellent, "Abcdefgh1j", true), (.excellent, "Abcdefgh1", false), (.excellent, "Abcdeeegh1", false),
            (.excellent, "Abcdeegh12", true), (.excellent, "abcdefghij", false),
        ] as [(PasswordStrength, String, Bool)]
    )
    func strengths(_ strength: PasswordStrength, _ password: String, _ wanted: Bool) throws {
        #expect(try isKept(strength, password) == wanted)
    }

    @Test("Length is counted in characters, and may be set higher than the policy's, not lower")
    func length() throws {
        var options = PasswordOptions()
        options.strength = .low
        #expect(options.minimumLength == 6)
        options.configuredMinimumLength = 12
        #expect(options.minimumLength == 12)
        options.configuredMinimumLength = 2
        #expect(options.minimumLength == 6)
        #expect(try isKept(.low, "\u{6f22}\u{5b57}\u{1f511}\u{e4}\u{f6}x"))
    }

    @Test("Letters of any script with a case count as letters of that case")
    func scripts() throws {
        #expect(try isKept(.fair, "\u{414}\u{430}\u{431}\u{432}\u{433}\u{434}\u{435}7"))
        #expect(try !isKept(.fair, "\u{430}\u{430}\u{431}\u{432}\u{433}\u{434}\u{435}7"))
    }

    @Test("The dictionary, breached passwords and personal information are each refused by name")
    func content() throws {
        var options = PasswordOptions()
        options.strength = .none
        options.usesDictionary = true
        options.dictionary = ["Company2024"]
        options.refusesPersonalInfo = true
        let ana = try #require(CanonicalIdentifier.email("ana.maria@example.com"))
        let profile = UserProfile(name: "Ana Svensson", givenName: "Al")
        func outcome(_ password: String) throws -> AccountError? {
            let text = try #require(PasswordText(password))
            do throws(AccountError) {
                try PasswordRules(options).check(
                    text,
                    breached: BreachedPasswords(file: Array("\nletmein\r\n123456\n".utf8)),
                    identifiers: [ana],
                    profile: profile
                )
                return nil
            } catch { return error }
        }
        #expect(try outcome("company2024") == .passwordTooCommon)
        #expect(try outcome("letmein") == .passwordTooCommon)
        #expect(try outcome("123456") == .passwordTooCommon)
        #expect(try outcome("123456 ") == nil)
        #expect(try outcome("x-Ana.Maria-x") == .passwordHasPersonalInfo)
        #expect(try outcome("my ana svensson!") == .passwordHasPersonalInfo)
        // Two letters are in everything.
        #expect(try outcome("also fine") == nil)
        options.refusesPersonalInfo = false
        #expect(try outcome("x-ana.maria-x") == nil)
    }

    @Test("A list of breached passwords is found whole, whatever its order")
    func breached() throws {
        let words = (0..<5000).map { "password-\($0 &* 7919 % 5000)" }
        let list = BreachedPasswords(file: Array(words.joined(separator: "\n").utf8))
        #expect(list.count == 5000)
        for word in words { #expect(list.contains(try #require(PasswordText(word)))) }
        #expect(!list.contains(try #require(PasswordText("password-5000"))))
        #expect(!BreachedPasswords().contains(try #require(PasswordText("x"))))
    }
}
