extension Console {
    /// A secret, from the first place that has it: `given` (`-` is standard input), the variable, the file that
    /// `VARIABLE_FILE` names, or a prompt that does not show it.
    ///
    /// One line break at the end is not part of it.
    /// - Throws: `wrongUse` when variable and file are both set, when a file cannot be read, when there is no secret and
    ///   nobody can be asked; `interrupted`.
    public func secret(
        _ given: String? = nil,
        variable: String,
        prompt: String,
        _ answers: Answers = Answers(),
        reading readFile: (String) throws(CommandFailure) -> [UInt8] = readSecretFile
    ) throws(CommandFailure) -> String {
        if given == "-" { return try text(input.readAll(), from: "standard input") }
        if let given { return given }
        let own = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        let file = environment[variable + "_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        if own != nil, file != nil {
            throw CommandFailure(.wrongUse, "\(variable) and \(variable)_FILE are both set. Keep one.")
        }
        if let own { return own }
        if let file { return try text(readFile(file), from: file) }
        guard !answers.noInput, input.isTerminal, errors.isTerminal else {
            throw CommandFailure(.wrongUse, "\(prompt) is missing. Set \(variable) or \(variable)_FILE.")
        }
        errors.write("\(prompt): ")
        let typed = try input.readHidden()
        errors.write("\n")
        guard let typed, !typed.isEmpty else { throw CommandFailure(.wrongUse, "\(prompt) is empty.") }
        return typed
    }

    private func text(_ bytes: [UInt8], from place: String) throws(CommandFailure) -> String {
        var rest = bytes[...]
        if rest.last == UInt8(ascii: "\n") { rest.removeLast() }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        guard let text = String(validating: rest, as: UTF8.self), !text.isEmpty else {
            throw CommandFailure(.wrongUse, "\(printable(place)) holds no text.")
        }
        return text
    }
}
