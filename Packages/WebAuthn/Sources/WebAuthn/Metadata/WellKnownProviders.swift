internal import Encodings

/// The names of passkey providers that most people meet, by their AAGUIDs: what a user interface may show without any
/// metadata. An AAGUID is a claim, and so is the name.
public enum WellKnownProviders {
    /// A JSON object with `source`, and in `providers` a name for each AAGUID.
    public static let document: [UInt8] = PackageResources.providers_json

    /// The provider's name; `nil` for one that is not well known.
    public static func name(_ aaguid: AAGUID) -> String? { names[aaguid] }

    private static let names: [AAGUID: String] = {
        guard let providers = (try? JSON.parse(document))?.object?["providers"]?.object else { return [:] }
        var names: [AAGUID: String] = [:]
        for member in providers.members {
            if let aaguid = AAGUID(member.name), let name = member.value.string { names[aaguid] = name }
        }
        return names
    }()
}
