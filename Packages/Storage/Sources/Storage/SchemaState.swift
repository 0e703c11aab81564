import StoreSQL

/// What to do about a store whose schema is older than this version's.
public enum SchemaPolicy: Sendable {
    /// Refuse it, and an empty store too: nothing is changed.
    case refuseAny
    /// Refuse it; an empty store gets its schema all the same.
    case refuseOlder
    /// Bring it forward.
    case upgrade
    /// The same, and take an unfinished copy too.
    case copyTarget

    var value: Schema.Policy {
        switch self {
        case .refuseAny: .refuseAny
        case .refuseOlder: .refuseOlder
        case .upgrade: .upgrade
        case .copyTarget: .copyTarget
        }
    }
}

/// What a store has of the migrations that this version knows.
public struct SchemaState: Hashable, Sendable {
    /// The newest migration that was applied; 0 for an empty store.
    public let number: Int64
    /// Those that are to come.
    public let pending: [Int64]
    /// The newest that this version knows.
    public let newest: Int64
    /// Why this version does not run on the store, and what to do; `nil` when it does.
    public let fault: String?

    init(_ status: Schema.Status) {
        number = status.number
        pending = status.pending
        newest = Schema.newest
        fault = status.fault?.description
    }
}
