import Terminal
import Testing

@Suite("Reading command lines")
struct ParserTests {
    @Test("The table of the tests has no faults, and faults are found")
    func faults() {
        #expect(keeper.faults().isEmpty)
        var bad = keeper
        bad.commands.append(
            Command(
                "x",
                "ends in a stop.",
                flags: [Flag("yes", "VALUE", "another shape"), Flag("a", letter: "a", "letter")]
            ) { _, _ in .done }
        )
        bad.standardCommand = "nothing"
        #expect(bad.faults().count == 5, "\(bad.faults())")
    }

    @Test(
        "Flags and words come in any order",
        arguments: [
            ["tenant", "create", "acme", "--domain", "a.example", "--origin", "x", "--origin=y", "-o", "json"],
            [
                "--store", "s", "tenant", "--domain=a.example", "create", "-o=json", "--origin", "x", "acme",
                "--origin", "y",
            ],
            ["-ojson", "--origin", "x", "--origin", "y", "tenant", "create", "--domain", "a.example", "--", "acme"],
            ["--output", "json", "tenant", "create", "--origin=x", "--origin=y", "--domain", "a.example", "acme"],
        ]
    )
    func freeOrder(arguments: [String]) throws {
        guard case .run(let invocation) = try keeper.parse(arguments) else {
            Issue.record("no command")
            return
        }
        #expect(invocation.path == ["tenant", "create"])
        #expect(invocation.word("NAME") == "acme")
        #expect(invocation.value("domain") == "a.example")
        #expect(invocation.values("origin") == ["x", "y"])
        #expect(invocation.format == .json)
        #expect(!invocation.isSet("passkey-only"))
    }

    @Test("Two dashes end the flags, one dash alone is a word")
    func dashes() throws {
        #expect(try parsed("tenant", "delete", "--", "--yes", "-x")?.words("NAME") == ["--yes", "-x"])
        #expect(try parsed("decode", "-")?.word("FILE") == "-")
        #expect(try parsed("decode")?.word("FILE") == nil)
        #expect(try parsed("tenant", "delete", "a", "b", "c")?.words("NAME") == ["a", "b", "c"])
    }

    @Test("A value may be empty, begin with one dash or have = in it")
    func values() throws {
        #expect(try parsed("--store=", "decode")?.value("store") == "")
        #expect(try parsed("--store", "-x", "decode")?.value("store") == "-x")
        #expect(try parsed("--store=a=b", "decode")?.value("store") == "a=b")
        #expect(try parsed("--store=--x", "decode")?.value("store") == "--x")
    }

    @Test("Letters can stand together")
    func letters() throws {
        let invocation = try parsed("-qv", "decode")
        #expect(invocation?.isSet("quiet") == true)
        #expect(invocation?.isSet("verbose") == true)
        #expect(try parsed("-qojson", "tenant", "list")?.format == .json)
    }

    @Test(
        "What does not fit is told with the remedy",
        arguments: [
            ([], "name a command. `keeper --help` lists them."),
            (["tenant"], "name a command. `keeper tenant --help` lists them."),
            (["tenat"], "there is no command \"tenat\". Did you mean \"tenant\"?"),
            (["zzz"], "there is no command \"zzz\". `keeper --help` lists them."),
            (["tenant", "crate"], "there is no command \"crate\". Did you mean \"create\"?"),
            (["tenant", "zzz"], "there is no command \"zzz\". `keeper tenant --help` lists them."),
            (["decode", "--knd", "jwt"], "there is no flag --knd. Did you mean --kind?"),
            (["decode", "--zzzzz"], "there is no flag --zzzzz."),
            (["decode", "-x"], "there is no flag -x."),
            (
                ["decode", "--domain", "x"],
                "--domain is not a flag of `keeper decode`. `keeper decode --help` lists them."
            ),
            (["decode", "--kind"], "--kind needs a value: --kind=jwt|cbor|attestation"),
            (["decode", "--store", "--quiet"], "--store needs a value: --store=URL"),
            (["tenant", "list", "-o"], "-o needs a value: -o=FORMAT"),
            (["tenant", "delete", "x", "--yes=no"], "--yes takes no value, and \"no\" is given."),
            (["decode", "--store", "a", "--store", "b"], "--store is given twice. Keep one."),
            (["decode", "--kind", "cbr"], "--kind is \"cbr\", which it cannot be. Did you mean cbor?"),
            (
                ["decode", "--kind", "zzz"],
                "--kind is \"zzz\", which it cannot be. Use jwt, cbor, attestation."
            ),
            (
                ["tenant", "create", "x", "--domain", "y", "-o", "csv"],
                "--output is \"csv\", which it cannot be. Use table, json."
            ),
            (["tenant", "create", "x"], "--domain is missing: the domain it answers at."),
            (["tenant", "create", "--domain", "y"], "NAME is missing: the tenant's name."),
            (["tenant", "create", "x", "y", "--domain", "z"], "\"y\" is one word too many."),
            (["decode", "a", "b\u{1b}[2J"], "\"b?[2J\" is one word too many."),
            (["tenant", "delete"], "NAME is missing: their names."),
            (["help", "tenat"], "there is no command \"tenat\". Did you mean \"tenant\"?"),
            (["help", "tenant", "x"], "there is no command \"x\". `keeper tenant --help` lists them."),
        ]
    )
    func complaints(arguments: [String], message: String) {
        #expect(complaint(arguments) == message)
    }

    @Test("Help and version are never refused")
    func helpAndVersion() throws {
        func path(_ arguments: String...) throws -> [String]? {
            if case .help(let path) = try keeper.parse(arguments) { path } else { nil }
        }
        #expect(try path("--help") == [])
        #expect(try path("-h") == [])
        #expect(try path("tenant", "-h") == ["tenant"])
        #expect(try path("tenant", "create", "--help") == ["tenant", "create"])
        #expect(try path("--help", "tenant", "nonsense") == ["tenant"])
        #expect(try path("help") == [])
        #expect(try path("help", "tenant", "create") == ["tenant", "create"])
        guard case .version = try keeper.parse(["--version"]) else {
            Issue.record("no version")
            return
        }
    }

    @Test("A standard command is meant when none is named")
    func standardCommand() throws {
        var program = keeper
        program.standardCommand = "decode"
        #expect(try parsed("--kind", "jwt", program: program)?.path == ["decode"])
        #expect(complaint(["x"], program: program) == "there is no command \"x\". `keeper --help` lists them.")
    }
}

@Suite("Running commands")
struct RunningTests {
    private func run(_ arguments: String..., program: Program = keeper) async -> (ExitCode, String, String) {
        let test = TestConsole()
        let code = await program.run(arguments, on: test.console)
        return (code, test.output.text, test.errors.text)
    }

    @Test("The answer goes to output, everything else to errors")
    func streams() async {
        #expect(await run("tenant", "create", "a", "--domain", "b") == (.done, "made a\n", "noted\n"))
        #expect(await run("tenant", "create", "a", "--domain", "b", "-q") == (.done, "made a\n", ""))
        #expect(await run("tenant", "create", "a", "--domain", "b", "-v") == (.done, "made a\n", "noted\ndetailed\n"))
        #expect(await run("--version") == (.done, "keeper 1.2.3\n", ""))
        #expect(await run("decode").0 == .answerIsNo)
    }

    @Test("Failures name the program and have their exit code")
    func failures() async {
        #expect(
            await run("tenant", "delete", "acm") == (
                .notFound, "", "keeper: tenant \"acm\" not found. Did you mean \"acme\"?\n"
            )
        )
        #expect(
            await run("tenat") == (.wrongUse, "", "keeper: there is no command \"tenat\". Did you mean \"tenant\"?\n")
        )
        struct Odd: Error, CustomStringConvertible { let description = "one\ntwo" }
        let program = Program(
            "p",
            "s",
            version: "1",
            commands: [
                Command("odd", "fail") { _, _ in throw Odd() },
                Command("stop", "stop") { _, _ in throw CommandFailure(.interrupted, "interrupted") },
            ]
        )
        #expect(await run("odd", program: program) == (.failed, "", "p: one\np: two\n"))
        #expect(await run("stop", program: program) == (.interrupted, "", ""))
    }

    @Test("Exit codes are those of the handbook")
    func exitCodes() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 10, 130])
    }
}

@Suite("Nearest names")
struct NearestNameTests {
    @Test(
        "One letter in three may be wrong",
        arguments: [
            ("My ap", "My app"), ("my APP", "My app"), ("acmme", "acme"), ("amce", "acme"), ("m\u{fc}ller", "muller"),
            ("x", nil), ("", nil), ("nothing like it", nil),
        ] as [(String, String?)]
    )
    func nearest(name: String, expected: String?) {
        #expect(nearestName(to: name, among: ["My app", "acme", "muller"]) == expected)
    }

    @Test("A name that is very long is near to none and takes no time")
    func long() {
        #expect(nearestName(to: String(repeating: "a", count: 100_000), among: ["a"]) == nil)
    }
}
