import Terminal
import Testing

@Suite("Help")
struct HelpTests {
    @Test("The program: sentence, usage, commands in groups, flags in groups, examples, variables, exit codes")
    func program() {
        #expect(
            keeper.help() == """
                keeper: for the keeper of the keys

                Usage: keeper COMMAND [flags]

                Set up
                  tenant create|list|delete  look after tenants

                Why
                  decode [FILE]  explain what is pasted

                Flags
                  --store URL  the store

                Output
                  -q, --quiet    say nothing but the answer and errors
                  -v, --verbose  say more, such as request ids

                Questions
                  --no-input  never ask: fail where a question would be

                Help
                  -h, --help  show this
                  --version   show the version

                Examples
                  keeper tenant list -o json

                Environment
                  KEEPER_STORE  the store, as --store

                Exit codes
                  0    done
                  1    failed
                  2    wrong use, wrong value, file not readable
                  3    not found
                  4    not signed in, or not allowed
                  5    conflict: it exists, or it changed meanwhile
                  6    server or store does not answer: try again
                  10   ran, and the answer is no
                  130  interrupted

                `keeper help COMMAND` says more about each.

                """
        )
    }

    @Test("A command")
    func command() {
        #expect(
            keeper.help(["tenant", "create"]) == """
                keeper tenant create: make a tenant

                Usage: keeper tenant create NAME --domain HOST[:PORT] [flags]

                Words
                  NAME  the tenant's name

                Flags
                  --store URL           the store
                  --domain HOST[:PORT]  the domain it answers at (required)
                  --origin URL          an origin that is related (may be repeated)
                  --passkey-only        no passwords

                Output
                  -q, --quiet          say nothing but the answer and errors
                  -v, --verbose        say more, such as request ids
                  -o, --output FORMAT  table or json; table unless said

                Questions
                  --no-input  never ask: fail where a question would be

                Help
                  -h, --help  show this

                Examples
                  keeper tenant create acme --domain login.acme.example
                  keeper tenant create dev --domain localhost:8080 -o json

                Environment
                  KEEPER_STORE  the store, as --store

                Exit codes
                  0    done
                  1    failed
                  2    wrong use, wrong value, file not readable
                  5    conflict: it exists, or it changed meanwhile
                  6    server or store does not answer: try again
                  130  interrupted

                """
        )
    }

    @Test("A word with commands behind it lists them")
    func middle() {
        let help = keeper.help(["tenant"])
        #expect(help.contains("Usage: keeper tenant COMMAND [flags]"))
        #expect(help.contains("  create NAME    make a tenant"))
        #expect(help.contains("  delete NAME …  remove tenants"))
        #expect(!help.contains("Exit codes"))
    }

    @Test("No line is wider than the terminal where words allow it", arguments: [40, 60, 80, 100])
    func width(width: Int) {
        for path in [[], ["tenant"], ["tenant", "create"], ["decode"]] {
            let isExample = { (line: Substring) in line.hasPrefix("  keeper") || line.contains("`") }
            for line in keeper.help(path, width: width).split(separator: "\n") where !isExample(line) {
                #expect(line.count <= width, "\(line)")
            }
        }
    }
}
