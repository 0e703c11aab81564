public import Encodings

/// What a tenant should be, as its administrator keeps it in a file (HTTP contract 16): names in place of ids, no secrets.
///
/// A section that is absent is left as it is. A thing in a section is whole: a member that is absent has its default. A
/// thing that a section does not name stays, unless deletions are allowed.
public struct TenantFile: Hashable, Sendable {
    /// The sections that are planned, in the order in which they are written.
    public enum Section: String, Hashable, Sendable, CaseIterable {
        case tenant, clients, databases, resourceServers, clientGrants, customDomains
    }

    /// The members of `tenant`; `nil` when the file says nothing of them.
    public private(set) var settings: JSONObject?
    /// The entries of the other sections, in the file's order.
    public private(set) var entries: [Section: [JSONObject]] = [:]
    /// Sections of the deploy tool's format that this server has no things for.
    public private(set) var skipped: [String] = []

    /// More entries than any tenant has.
    public static let maximumEntries = 20_000

    /// Reads the file's outer shape.
    ///
    /// - Throws: every fault of it: a section that is no list of maps, a section that was meant to be another, too much.
    public init(_ document: JSONObject) throws(TenantFileFaults) {
        var faults: [TenantFileFault] = []
        var count = 0
        // An export carries the version of what it shows.
        for member in document.members where !member.value.isNull && member.name != "version" {
            guard let section = Section(rawValue: member.name) else {
                if let meant = Self.misspelled(member.name) {
                    faults.append(
                        TenantFileFault(member.name, "there is no section \(member.name). Did you mean \(meant)?")
                    )
                } else {
                    skipped.append(String(member.name.prefix(100)))
                }
                continue
            }
            guard section != .tenant else {
                settings = member.value.object
                if settings == nil { faults.append(TenantFileFault(member.name, "tenant must be a map.")) }
                continue
            }
            guard let elements = member.value.array else {
                faults.append(TenantFileFault(member.name, "\(member.name) must be a list."))
                continue
            }
            count += elements.count
            var objects: [JSONObject] = []
            for (index, element) in elements.enumerated() {
                if let object = element.object {
                    objects.append(object)
                } else {
                    let place = "\(member.name)[\(index)]"
                    faults.append(TenantFileFault(place, "\(place) must be a map."))
                }
            }
            entries[section] = objects
        }
        if count > Self.maximumEntries {
            faults.append(TenantFileFault("", "the file has more than \(Self.maximumEntries) entries."))
        }
        guard faults.isEmpty else { throw TenantFileFaults(faults) }
    }

    /// A name that differs from a section's in case, or by one letter more or less.
    private static func misspelled(_ name: String) -> String? {
        guard !Self.others.contains(name) else { return nil }
        return Section.allCases.map(\.rawValue).first { section in
            let (one, other) = (Array(name.lowercased().utf8), Array(section.lowercased().utf8))
            guard abs(one.count - other.count) <= 1 else { return false }
            let common = zip(one, other).prefix { $0 == $1 }.count
            let behind = zip(one.dropFirst(common).reversed(), other.dropFirst(common).reversed()).prefix { $0 == $1 }
                .count
            return max(one.count, other.count) - common - behind <= 1
        }
    }

    /// Sections of the deploy tool that must never be taken for a misspelling.
    private static let others: Set<String> = [
        "actions", "attackProtection", "branding", "connections", "emailProvider", "emailTemplates", "flows", "forms",
        "guardianFactors", "hooks", "logStreams", "migrations", "organizations", "pages", "prompts", "roles", "rules",
        "themes", "triggers",
    ]
}

/// One thing that is wrong with a file.
public struct TenantFileFault: Hashable, Sendable {
    /// Where, as `clients[2].mobile.ios.team_id`; empty for the file as a whole.
    public let path: String
    /// A sentence.
    public let message: String

    public init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }
}

/// All that is wrong with a file, in its order; never empty.
public struct TenantFileFaults: Error, Hashable, Sendable {
    public let faults: [TenantFileFault]

    public init(_ faults: [TenantFileFault]) { self.faults = faults }
}
