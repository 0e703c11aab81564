import Cryptography
import Encodings
import Identity
import Testing

@testable import Tenancy

/// A tenant in a store in memory, and what a file does to it.
struct FileWorld {
    let store = MemoryStore()
    let administration: TenantAdministration
    let tenant: CreatedTenant
    let now = UnixTime(seconds: 1_800_000_000)

    init(metadata: Int64 = 1) async throws {
        administration = TenantAdministration(store: store, metadata: Metadata(revision: metadata)) { Random.bytes($0) }
        tenant = try await administration.createTenant(
            TenantRequest(name: "acme", domain: "login.acme.example", relyingPartyID: "acme.example"),
            now: now
        )
    }

    func configuration() async throws -> TenantConfiguration {
        try #require(try await store.configuration(of: tenant.id))
    }

    func export() async throws -> JSONObject { try TenantExport(try await configuration()).file }

    func plan(_ file: JSONObject, delete: Bool = false) async throws -> TenantPlan {
        try await administration.plan(
            try TenantFile(file),
            allowsDeletion: delete,
            caller: tenant.managementClient.id,
            in: try await configuration(),
            now: now
        )
    }

    @discardableResult
    func apply(_ file: JSONObject, version: String? = nil, delete: Bool = false) async throws -> TenantPlan {
        let configuration = try await configuration()
        return try await administration.apply(
            try TenantFile(file),
            version: try version ?? TenantExport(configuration).version,
            allowsDeletion: delete,
            caller: tenant.managementClient.id,
            in: configuration,
            now: now
        )
    }

    /// The faults that a file is refused for.
    func faults(_ file: JSONObject, delete: Bool = false) async throws -> [TenantFileFault] {
        do {
            _ = try await plan(file, delete: delete)
            return []
        } catch let error as TenantFileFaults {
            return error.faults
        } catch TenantFileError.faults(let error) {
            return error.faults
        }
    }
}

extension JSONObject {
    /// The member at a path of names and places in lists, changed; `nil` takes it away.
    func with(_ path: [String], _ value: JSONValue?) -> JSONObject {
        guard case .object(let changed) = JSONValue.object(self).with(path[...], value) else { return self }
        return changed
    }
}

extension JSONValue {
    fileprivate func with(_ path: ArraySlice<String>, _ value: JSONValue?) -> JSONValue {
        guard let name = path.first else { return value ?? .null }
        let rest = path.dropFirst()
        switch self {
        case .array(var elements):
            guard let index = Int(name) else { return self }
            if index == elements.count {
                elements.append(value ?? .null)
            } else if rest.isEmpty, value == nil {
                elements.remove(at: index)
            } else {
                elements[index] = elements[index].with(rest, value)
            }
            return .array(elements)
        default:
            var object = self.object ?? JSONObject()
            if rest.isEmpty, value == nil {
                object.remove(name)
            } else {
                object.set(name, (object[name] ?? .object(JSONObject())).with(rest, value))
            }
            return .object(object)
        }
    }
}
