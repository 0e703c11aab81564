/// The shells that commands can be completed in.
public enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
}

extension Program {
    /// A script that teaches `shell` the program's commands and flags, from the same table as the help.
    public func completion(for shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletion()
        case .zsh: zshCompletion()
        case .fish: fishCompletion()
        }
    }

    /// `completion bash|zsh|fish`, for the program that `table` makes.
    public static func completionCommand(
        of name: String,
        group: String,
        _ table: @escaping @Sendable () -> Program
    ) -> Command {
        Command(
            "completion",
            "print what teaches a shell the commands and flags",
            group: group,
            words: [Word("SHELL", "bash, zsh or fish")],
            examples: ["\(name) completion bash >/etc/bash_completion.d/\(name)"]
        ) { invocation, console in
            let name = invocation.word("SHELL") ?? ""
            guard let shell = Shell(rawValue: name) else {
                throw CommandFailure(.wrongUse, "SHELL is \(quoted(name)), which it cannot be. Use bash, zsh, fish.")
            }
            console.output.write(table().completion(for: shell))
            return .done
        }
    }

    /// `manual`: the manual page in scdoc's language.
    public static func manualCommand(
        of name: String,
        group: String,
        _ table: @escaping @Sendable () -> Program
    ) -> Command {
        Command(
            "manual",
            "print the manual page in scdoc's language",
            group: group,
            examples: ["\(name) manual | scdoc >\(name).1"]
        ) { _, console in
            console.output.write(table().manual())
            return .done
        }
    }
}

/// One place in the command line: which words come next, and which flags fit.
private struct CompletionPlace {
    /// `client list`; empty at the beginning.
    let path: String
    let commands: [Command]
    let flags: [Flag]
    /// Whether words that are no commands come here: names, files.
    let takesWords: Bool

    var flagWords: [String] { flags.flatMap { flag in ["--" + flag.name] + (flag.letter.map { ["-\($0)"] } ?? []) } }
}

extension Program {
    private var places: [CompletionPlace] {
        func places(_ path: [String], _ command: Command) -> [CompletionPlace] {
            let path = path + [command.name]
            let place = CompletionPlace(
                path: path.joined(separator: " "),
                commands: command.commands,
                flags: inheritedFlags(path) + command.flags + [.help],
                takesWords: !command.words.isEmpty
            )
            return [place] + command.commands.flatMap { places(path, $0) }
        }
        let first = CompletionPlace(path: "", commands: commands, flags: flags + [.help, .version], takesWords: false)
        return [first] + commands.flatMap { places([], $0) }
    }

    /// Every flag with a value, once: its spellings and the values that are right.
    private var valued: [(spellings: [String], choices: [String])] {
        var seen: Set<String> = []
        var found: [(spellings: [String], choices: [String])] = []
        for flag in places.flatMap(\.flags) where flag.value != nil && seen.insert(flag.name).inserted {
            found.append((["--" + flag.name] + (flag.letter.map { ["-\($0)"] } ?? []), flag.choices))
        }
        return found
    }

    private var function: String { "_" + name.map { $0 == "-" ? "_" : String($0) }.joined() }

    private func bashCompletion() -> String {
        let paths = places.map(\.path).filter { !$0.isEmpty }
        var script = """
            # bash completion for \(name), made by `\(name) completion bash`.
            \(function)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path="" words="" flags="" files="" i
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "${path:+$path }${COMP_WORDS[i]}" in
                        \(paths.map { "'\($0)'" }.joined(separator: "|"))) path="${path:+$path }${COMP_WORDS[i]}" ;;
                    esac
                done
                case "$previous" in

            """
        for flag in valued {
            let reply =
                flag.choices.isEmpty
                ? "compopt -o default 2>/dev/null; COMPREPLY=(); return"
                : "COMPREPLY=($(compgen -W '\(flag.choices.joined(separator: " "))' -- \"$current\")); return"
            script += "        \(flag.spellings.joined(separator: "|"))) \(reply) ;;\n"
        }
        script += "    esac\n    case \"$path\" in\n"
        for place in places {
            script +=
                "        '\(place.path)') words='\(place.commands.map(\.name).joined(separator: " "))'"
                + " flags='\(place.flagWords.joined(separator: " "))'\(place.takesWords ? " files=yes" : "") ;;\n"
        }
        script += """
                esac
                if [[ $current == -* ]]; then
                    COMPREPLY=($(compgen -W "$flags" -- "$current"))
                else
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                    [ -n "$files" ] && compopt -o default 2>/dev/null
                fi
            }
            complete -F \(function) \(name)

            """
        return script
    }

    private func zshCompletion() -> String {
        let paths = places.map(\.path).filter { !$0.isEmpty }
        var script = """
            #compdef \(name)
            # zsh completion for \(name), made by `\(name) completion zsh`.
            \(function)() {
                local current=${words[CURRENT]} previous=${words[CURRENT-1]} place="" i
                local -a commands flags
                for ((i = 2; i < CURRENT; i++)); do
                    case "${place:+$place }${words[i]}" in
                        (\(paths.map { "'\($0)'" }.joined(separator: "|"))) place="${place:+$place }${words[i]}" ;;
                    esac
                done
                case "$previous" in

            """
        for flag in valued {
            let reply = flag.choices.isEmpty ? "_files" : "compadd -- \(flag.choices.joined(separator: " "))"
            script += "        (\(flag.spellings.joined(separator: "|"))) \(reply); return ;;\n"
        }
        script += "    esac\n    case \"$place\" in\n"
        for place in places {
            let described = place.commands.map { "'\($0.name):\(shellQuoted($0.summary, colons: true))'" }
            script +=
                "        ('\(place.path)') commands=(\(described.joined(separator: " ")))"
                + " flags=(\(place.flagWords.joined(separator: " "))) ;;\n"
        }
        script += """
                esac
                if [[ $current == -* ]]; then
                    compadd -- $flags
                elif (( $#commands )); then
                    _describe command commands
                else
                    _files
                fi
            }
            compdef \(function) \(name)

            """
        return script
    }

    private func fishCompletion() -> String {
        let paths = places.map(\.path).filter { !$0.isEmpty }
        var script = """
            # fish completion for \(name), made by `\(name) completion fish`.
            function _\(function)_at
                set -l place
                for word in (commandline -opc)[2..-1]
                    set -l next $place $word
                    switch "$next"
                        case \(paths.map { "'\($0)'" }.joined(separator: " "))
                            set -a place $word
                    end
                end
                test "$place" = "$argv[1]"
            end
            complete -c \(name) -n '_\(function)_at ""' -f

            """
        for place in places {
            let condition = "-n '_\(function)_at \"\(place.path)\"'"
            for command in place.commands {
                script +=
                    "complete -c \(name) \(condition) -f -a \(command.name) -d '\(shellQuoted(command.summary))'\n"
            }
            for flag in place.flags {
                let letter = flag.letter.map { " -s \($0)" } ?? ""
                let value =
                    flag.value == nil
                    ? "" : flag.choices.isEmpty ? " -r" : " -x -a '\(flag.choices.joined(separator: " "))'"
                script +=
                    "complete -c \(name) \(condition) -l \(flag.name)\(letter)\(value) -d '\(shellQuoted(flag.summary))'\n"
            }
        }
        return script
    }

    /// Text for single quotes.
    private func shellQuoted(_ text: String, colons: Bool = false) -> String {
        text.map { character in
            switch character {
            case "'": "’"
            case ":" where colons: "\\:"
            default: String(character)
            }
        }.joined()
    }
}
