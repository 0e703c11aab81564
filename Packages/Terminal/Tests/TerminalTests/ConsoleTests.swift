import Terminal
import Testing

@Suite("Questions")
struct QuestionTests {
    private func confirm(_ lines: [String], isTerminal: Bool = true, _ answers: Answers = Answers()) -> (
        CommandFailure?, TestConsole
    ) {
        let test = TestConsole(lines, isTerminal: isTerminal)
        do throws(CommandFailure) {
            try test.console.confirm(typing: "acme", what: ["tenant acme with 3 users goes"], answers)
            return (nil, test)
        } catch {
            return (error, test)
        }
    }

    @Test("What will go is shown, and its name must be typed")
    func typing() {
        let (failure, test) = confirm(["acme"])
        #expect(failure == nil)
        #expect(test.errors.text.hasPrefix("tenant acme with 3 users goes\nType "))
        #expect(test.output.text.isEmpty)
        #expect(confirm(["Acme"]).0?.exit == .failed)
        #expect(confirm([""]).0?.exit == .failed)
        #expect(confirm([]).0?.exit == .failed)
    }

    @Test("--yes skips the question; without it nobody being there is an error, --no-input alone too")
    func withoutAnybody() {
        #expect(confirm([], isTerminal: false, Answers(yes: true)).0 == nil)
        #expect(confirm([], isTerminal: true, Answers(yes: true, noInput: true)).0 == nil)
        let failure = confirm(["acme"], isTerminal: true, Answers(noInput: true)).0
        #expect(failure?.exit == .wrongUse)
        #expect(failure?.message == "this needs an answer, and nobody can be asked. Add --yes to do it all the same.")
        #expect(confirm(["acme"], isTerminal: false).0?.exit == .wrongUse)
    }

    @Test("Yes or no", arguments: [("y", true), ("YES", true), ("n", false), ("", false), ("maybe", false)])
    func agree(line: String, expected: Bool) throws {
        #expect(try TestConsole([line], isTerminal: true).console.agree("Go on?", Answers()) == expected)
        #expect(try TestConsole([], isTerminal: true).console.agree("Go on?", Answers()) == false)
        #expect(try TestConsole().console.agree("Go on?", Answers(yes: true)))
        #expect(throws: CommandFailure.self) { try TestConsole([line]).console.agree("Go on?", Answers()) }
    }
}

@Suite("Secrets")
struct SecretTests {
    private func secret(
        _ given: String? = nil,
        lines: [String] = [],
        isTerminal: Bool = false,
        environment: [String: String] = [:],
        _ answers: Answers = Answers(),
        file: [UInt8] = []
    ) -> Result<String, CommandFailure> {
        let test = TestConsole(lines, isTerminal: isTerminal, environment: environment)
        return Result { () throws(CommandFailure) in
            try test.console.secret(given, variable: "S", prompt: "Client secret", answers) {
                (path) throws(CommandFailure) in
                guard path == "/f" else { throw CommandFailure(.wrongUse, "no file") }
                return file
            }
        }
    }

    @Test("From a flag's dash, a variable, a file or a prompt, in that order")
    func places() {
        #expect(secret("-", lines: ["in"], environment: ["S": "env"]) == .success("in"))
        #expect(secret("flag", environment: ["S": "env"]) == .success("flag"))
        #expect(secret(environment: ["S": "env"]) == .success("env"))
        #expect(secret(environment: ["S_FILE": "/f"], file: Array("x\r\n".utf8)) == .success("x"))
        #expect(secret(environment: ["S": "", "S_FILE": "/f"], file: Array("x \n".utf8)) == .success("x "))
        #expect(secret(lines: ["typed"], isTerminal: true) == .success("typed"))
    }

    @Test("A prompt does not show what is typed")
    func hidden() throws {
        let test = TestConsole(["typed"], isTerminal: true)
        #expect(try test.console.secret(variable: "S", prompt: "Client secret") == "typed")
        #expect(test.input.hiddenReads == 1)
        #expect(test.errors.text == "Client secret: \n")
        #expect(test.output.text.isEmpty)
    }

    @Test("What is missing or set twice is named, and no secret is shown")
    func failures() {
        func message(_ result: Result<String, CommandFailure>) -> String? {
            if case .failure(let failure) = result { failure.message } else { nil }
        }
        #expect(message(secret()) == "Client secret is missing. Set S or S_FILE.")
        #expect(
            message(secret(isTerminal: true, Answers(noInput: true))) == "Client secret is missing. Set S or S_FILE."
        )
        #expect(message(secret(environment: ["S": "a", "S_FILE": "/f"])) == "S and S_FILE are both set. Keep one.")
        #expect(message(secret(environment: ["S_FILE": "/f"])) == "/f holds no text.")
        #expect(message(secret(environment: ["S_FILE": "/f"], file: [0xFF])) == "/f holds no text.")
        #expect(message(secret(environment: ["S_FILE": "/g"])) == "no file")
        #expect(message(secret("-")) == "standard input holds no text.")
        #expect(message(secret(lines: [""], isTerminal: true)) == "Client secret is empty.")
    }

    @Test("The real reader tells what it cannot read")
    func realReader() throws {
        #expect(throws: CommandFailure(.wrongUse, "/nowhere/at/all cannot be read: there is no such file.")) {
            try readSecretFile("/nowhere/at/all")
        }
        #expect(throws: CommandFailure(.wrongUse, "/ cannot be read: it is a folder.")) { try readSecretFile("/") }
        #expect(throws: CommandFailure(.wrongUse, "/dev/zero is larger than 64 KiB.")) {
            try readSecretFile("/dev/zero")
        }
        #expect(try readSecretFile("/dev/null").isEmpty)
    }
}

@Suite("Colour and progress")
struct StyleTests {
    private func bold(isTerminal: Bool, _ environment: [String: String] = [:]) -> String {
        let test = TestConsole(isTerminal: isTerminal, environment: environment)
        return test.console.styled("x", .bold, on: test.output)
    }

    @Test("Colour only on a terminal, and not when NO_COLOR or a dumb terminal say so")
    func colour() {
        #expect(bold(isTerminal: true) == "\u{1b}[1mx\u{1b}[0m")
        #expect(bold(isTerminal: true, ["NO_COLOR": ""]) == "\u{1b}[1mx\u{1b}[0m")
        #expect(bold(isTerminal: true, ["NO_COLOR": "1"]) == "x")
        #expect(bold(isTerminal: true, ["TERM": "dumb"]) == "x")
        #expect(bold(isTerminal: false) == "x")
    }

    @Test("Progress only on a terminal")
    func progress() {
        let test = TestConsole(isTerminal: true)
        test.console.progress("1 of 2")
        #expect(test.errors.text == "\r\u{1b}[K1 of 2")
        let other = TestConsole()
        other.console.progress("1 of 2")
        #expect(other.errors.text.isEmpty)
    }

    @Test("Text from elsewhere cannot disturb the terminal")
    func printableText() {
        #expect(printable("a\u{1b}[2J\nb\u{202e}c\u{200b}d\u{2028}e\u{e9}") == "a?[2J?b?c?d?e\u{e9}")
    }
}
