extension Program {
    /// Runs the command that the arguments name, and tells on the console what went wrong.
    ///
    /// - Returns: the exit code for the process.
    public func run(_ arguments: [String], on console: Console) async -> ExitCode {
        let request: Request
        do throws(UsageError) {
            request = try parse(arguments)
        } catch {
            console.fail(name, error.description)
            return .wrongUse
        }
        switch request {
        case .help(let path):
            console.output.write(help(path, width: min(100, console.output.width ?? 100)))
            return .done
        case .version:
            console.answer("\(name) \(version)")
            return .done
        case .run(let invocation): return await run(invocation, on: console)
        }
    }

    private func run(_ invocation: Invocation, on console: Console) async -> ExitCode {
        var console = console
        console.isQuiet = invocation.isSet("quiet")
        console.isVerbose = invocation.isSet("verbose")
        guard let action = invocation.command.action else { return .wrongUse }
        do {
            return try await action(invocation, console)
        } catch let failure as CommandFailure {
            // A person who pressed ctrl-C knows.
            if failure.exit != .interrupted { console.fail(name, failure.message) }
            return failure.exit
        } catch let error as UsageError {
            console.fail(name, error.description)
            return .wrongUse
        } catch {
            console.fail(name, "\(error)")
            return .failed
        }
    }
}
