public import Identity

/// Why a tenant was not made or changed. Nothing was written, but for ``store(_:)`` with an unknown outcome.
public enum TenancyError: Error, Hashable, Sendable {
    /// A member of a document is wrong.
    case document(DocumentError)
    /// A value outside a document is wrong: a name, a domain, an RP ID. `problem` completes "VALUE …".
    case invalid(what: String, value: String, problem: String)
    /// Known, and right, and asking for what this build does not do yet. `sentence` says so by itself.
    case notBuilt(member: String, sentence: String)
    case notFound(what: String, name: String)
    /// It is there already, here or in another tenant.
    case exists(what: String, name: String)
    /// Members or things that do not go together; a sentence.
    case conflict(String)
    /// It cannot go while something else needs it; a sentence.
    case inUse(String)
    /// It was changed between the reading and the writing; read it again.
    case changedMeanwhile
    case store(StoreError)
}

extension TenancyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .document(let error): "\(error)"
        case .invalid(let what, let value, let problem): "\(what) \"\(value)\" \(problem)."
        case .notBuilt(_, let sentence): sentence
        case .notFound(let what, let name): "\(what) \"\(name)\" not found."
        case .exists(let what, let name): "\(what) \"\(name)\" exists already."
        case .conflict(let sentence): sentence
        case .inUse(let sentence): sentence
        case .changedMeanwhile: "it was changed by somebody else at the same time: try again."
        case .store(let error): "the store did not do it: \(error)"
        }
    }
}
