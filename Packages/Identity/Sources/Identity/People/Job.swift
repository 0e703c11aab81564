public import Encodings

/// A job's id: `job_` and 16 characters.
public struct JobID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 12 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = "job_" + Base62.encode(bytes, count: 16)
    }
}

/// Work that outlasts a request: users in or out (HTTP contract 11.17).
public struct Job: Hashable, Sendable {
    public let id: JobID
    public let tenant: TenantID
    public let kind: Kind
    /// Whose users; `nil`: those of all directories.
    public let connection: ConnectionID?
    /// Who asked for it.
    public let client: ClientID?
    /// What was asked, in the words of the contract.
    public let parameters: JSONObject
    public var status: Status
    public var progress: JobProgress
    /// Why it failed, for whoever asked.
    public var reason: String?
    public let createdAt: UnixTime

    public init(
        id: JobID,
        tenant: TenantID,
        kind: Kind,
        connection: ConnectionID?,
        client: ClientID?,
        parameters: JSONObject,
        status: Status,
        progress: JobProgress = JobProgress(),
        reason: String? = nil,
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.kind = kind
        self.connection = connection
        self.client = client
        self.parameters = parameters
        self.status = status
        self.progress = progress
        self.reason = reason
        self.createdAt = createdAt
    }

    public enum Kind: String, Hashable, Sendable {
        case usersImport = "users_import"
        case usersExport = "users_export"
    }

    public enum Status: String, Hashable, Sendable {
        /// What it works on is still being stored; nobody begins it.
        case receiving
        case pending, processing, completed, failed

        public var isOver: Bool { self == .completed || self == .failed }
    }
}

/// How far a job has come.
public struct JobProgress: Hashable, Sendable {
    /// 0 to 100.
    public var percent: Int64 = 0
    /// Users that were looked at, and what became of them.
    public var total: Int64 = 0
    public var inserted: Int64 = 0
    public var updated: Int64 = 0
    public var failed: Int64 = 0

    public init() {}
}
