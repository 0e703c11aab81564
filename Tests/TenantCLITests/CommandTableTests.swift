import Terminal
import Testing

@testable import TenantCLI

@Suite("latchkey-tenant: commands and their words")
struct CommandTableTests {
    static let commands = ToolRun.allCommands(TenantProgram.make(.live))

    @Test("The table has no faults")
    func table() {
        #expect(TenantProgram.make(.live).faults() == [])
    }

    @Test("Every command has a help with usage, an example and exit codes", arguments: commands)
    func help(_ path: [String]) async {
        let run = await ToolRun(path + ["--help"])
        #expect(run.exit == .done)
        #expect(run.output.hasPrefix("latchkey-tenant \(path.joined(separator: " ")): "))
        for part in ["\nUsage: latchkey-tenant \(path.joined(separator: " "))", "\nExamples\n", "\nExit codes\n"] {
            #expect(run.output.contains(part), "\(part)")
        }
        // An example line is copied whole, however wide it is; all else keeps to 100 columns.
        let examples = Set((TenantProgram.make(.live).find(path)?.examples ?? []).map { "  \($0)" })
        for line in run.output.split(separator: "\n") where !examples.contains(String(line)) {
            #expect(line.count <= 100, "\(line)")
        }
    }

    @Test("Every command refuses a wrong flag in one clear line, with exit 2", arguments: commands)
    func wrongFlag(_ path: [String]) async {
        let run = await ToolRun(path + ["--frobnicate"])
        #expect(run.exit == .wrongUse && run.output.isEmpty)
        #expect(run.errors == "latchkey-tenant: there is no flag --frobnicate.\n")
    }

    @Test("Every command with a format refuses a wrong one in one clear line, with exit 2", arguments: commands)
    func wrongValue(_ path: [String]) async {
        let command = TenantProgram.make(.live).find(path)
        guard command?.flags.contains(where: { $0.name == "output" }) == true else { return }
        let run = await ToolRun(path + (command?.words.map { _ in "x" } ?? []) + ["-o", "xml"])
        #expect(run.exit == .wrongUse && run.output.isEmpty)
        #expect(run.errors.hasPrefix("latchkey-tenant: ") && run.errors.split(separator: "\n").count == 1)
    }

    @Test("No flag takes a secret: it would stand in the list of processes")
    func noSecretFlags() {
        for path in Self.commands {
            for flag in TenantProgram.make(.live).find(path)?.flags ?? [] where flag.value != nil {
                let isSecret = ["secret", "password", "token"].contains { flag.name.contains($0) }
                #expect(!isSecret || flag.name.hasSuffix("-file"), "--\(flag.name)")
            }
        }
    }

    @Test("A script for each shell knows every command", arguments: Shell.allCases)
    func completion(_ shell: Shell) async {
        let run = await ToolRun(["completion", shell.rawValue])
        #expect(run.exit == .done)
        for path in Self.commands { #expect(run.output.contains(path.joined(separator: " "))) }
        #expect(await ToolRun(["completion", "tcsh"]).exit == .wrongUse)
    }

    @Test("The manual page has every command")
    func manual() async {
        let run = await ToolRun(["manual"])
        #expect(run.exit == .done && run.output.hasPrefix("latchkey-tenant(1)"))
        for path in Self.commands { #expect(run.output.contains(path.joined(separator: " "))) }
    }
}
