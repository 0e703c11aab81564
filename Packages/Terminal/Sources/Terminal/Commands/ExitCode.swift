/// How a command ends. The raw value is the process's exit status.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
    case done = 0
    /// Nothing below fits.
    case failed = 1
    case wrongUse = 2
    case notFound = 3
    case notAllowed = 4
    case conflict = 5
    /// Worth trying again.
    case unavailable = 6
    /// The command ran, and its answer is no.
    case answerIsNo = 10
    case interrupted = 130

    /// For the help and the manual.
    public var summary: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .wrongUse: "wrong use, wrong value, file not readable"
        case .notFound: "not found"
        case .notAllowed: "not signed in, or not allowed"
        case .conflict: "conflict: it exists, or it changed meanwhile"
        case .unavailable: "server or store does not answer: try again"
        case .answerIsNo: "ran, and the answer is no"
        case .interrupted: "interrupted"
        }
    }
}
