public import Encodings
public import Identity

/// What would change in a tenant for it to be as its file says.
public struct TenantPlan: Sendable {
    /// The state that it was made from (``TenantExport/version``).
    public let version: String
    /// In the order of the file's sections; of a section what is made, changed and deleted, by name.
    public internal(set) var changes: [PlannedChange] = []
    /// The tenant as it will be.
    public internal(set) var target: TenantConfiguration
    /// What was spared from deletion, and why.
    public internal(set) var kept: [KeptThing] = []
    /// Sections of the file that were not read.
    public internal(set) var skipped: [String] = []
    /// The clients that get a secret which nobody has seen.
    public internal(set) var newSecrets: [String] = []
    /// The scopes of the Management API that it gives to clients.
    public internal(set) var givenManagementScopes: Set<String> = []
    /// What proves models of authenticators must be there for these, which are paths in the file.
    var needsMetadata: [TenantFileFault] = []
    /// The changes for the store, in an order in which they can be made.
    var statements: [ConfigurationChange] = []
}

/// One change: a thing that is made or deleted, or one member of a thing.
public struct PlannedChange: Hashable, Sendable {
    public enum Operation: String, Hashable, Sendable {
        case create, update, delete
    }

    public let resource: TenantFile.Section
    /// What the thing is called; of a grant `CLIENT → AUDIENCE`; of the settings the tenant's name.
    public let name: String
    public let operation: Operation
    /// Of an update.
    public var path: String?
    public var before: JSONValue?
    /// Of an update, and of a creation the whole thing.
    public var after: JSONValue?

    /// In the words of HTTP contract 11.18.
    public var document: JSONObject {
        var document: JSONObject = [
            "resource": .string(resource.rawValue), "name": .string(name), "op": .string(operation.rawValue),
        ]
        if let path { document.set("path", .string(path)) }
        if operation == .update {
            document.set("before", before ?? .null)
            document.set("after", after ?? .null)
        } else if let after {
            document.set("after", after)
        }
        return document
    }
}

/// A thing that is not deleted although the file does not name it.
public struct KeptThing: Hashable, Sendable {
    public let resource: TenantFile.Section
    public let name: String
    /// A sentence.
    public let reason: String
}
