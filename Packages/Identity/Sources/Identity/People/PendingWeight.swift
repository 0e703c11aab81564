import Encodings
import WebAuthn

extension PendingCeremony {
    /// How many ceremonies of the usual size it counts for, where what is pending is limited: what comes from a request
    /// may be many times as large, and must not cost many times the memory.
    public var weight: Int { Self.weight(ofBytes: size) }

    /// The same of a size in bytes; at least 1.
    public static func weight(ofBytes count: Int) -> Int { max(1, (count + usualSize - 1) / usualSize) }

    /// Bytes that one unit stands for.
    public static let usualSize = 2048

    /// About how many bytes it takes: what is fixed, and what the request or the account made long.
    private var size: Int {
        switch purpose {
        case .signup(_, let account, _):
            let profile = account.profile
            let texts = [profile.name, profile.givenName, profile.familyName, profile.nickname, profile.picture]
            let identifiers = account.identifiers.reduce(0) { $0 + $1.canonical.utf8.count + $1.entered.utf8.count }
            let metadata = profile.userMetadata.members.reduce(0) { sum, member in
                sum + member.name.utf8.count + (member.value.string?.utf8.count ?? 0)
            }
            return Self.fixedSize + identifiers + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + metadata
        case .enroll, .recover: return Self.fixedSize
        case .login(let issued, _, _):
            return Self.fixedSize + issued.allowCredentials.reduce(0) { $0 + $1.count }
        }
    }

    /// Of a ceremony that names nothing: about 1.1 KB in Redis, less than a unit.
    private static let fixedSize = 1024
}
