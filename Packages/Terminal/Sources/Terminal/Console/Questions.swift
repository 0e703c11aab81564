extension Console {
    /// Makes sure that something is meant to be destroyed.
    ///
    /// `what` says what will go and how many, one line each. On a terminal the person types `name`; `--yes` skips that.
    /// - Throws: `wrongUse` when nobody can be asked, `failed` when something else was typed, `interrupted`.
    public func confirm(typing name: String, what: [String], _ answers: Answers) throws(CommandFailure) {
        for line in what { note(line) }
        if answers.yes { return }
        guard !answers.noInput, input.isTerminal, errors.isTerminal else {
            throw CommandFailure(
                .wrongUse,
                "this needs an answer, and nobody can be asked. Add --yes to do it all the same."
            )
        }
        errors.write("Type \(styled(printable(name), .bold, on: errors)) to go on: ")
        guard let typed = try input.readLine(), typed.utf8.elementsEqual(name.utf8) else {
            throw CommandFailure(.failed, "that is not \(quoted(name)). Nothing was changed.")
        }
    }

    /// Asks a question that is answered with yes or no; no answer is no.
    ///
    /// - Throws: `wrongUse` when nobody can be asked, `interrupted`.
    public func agree(_ question: String, _ answers: Answers) throws(CommandFailure) -> Bool {
        if answers.yes { return true }
        guard !answers.noInput, input.isTerminal, errors.isTerminal else {
            throw CommandFailure(
                .wrongUse,
                "this needs an answer, and nobody can be asked. Add --yes to do it all the same."
            )
        }
        errors.write("\(question) [y/N] ")
        return ["y", "yes"].contains((try input.readLine() ?? "").lowercased())
    }
}
