public import Identity
import StoreSQLite

/// Writes a copy of the embedded store into a new file, while it is served.
///
/// - Parameters:
///   - url: the setting `store`.
///   - file: the copy, which must not exist.
///   - now: what the copy says of when it was made.
/// - Throws: why there is no copy; a store on a server of its own has the copies of that server.
public func backUp(_ url: String, into file: String, now: UnixTime) async throws(StorageError) {
    let path = try embedded(url)
    do throws(SQLiteBackupError) {
        try await SQLiteBackup.make(of: path, into: file, now: now)
    } catch { throw .backup(error) }
}

/// Puts a copy in the place of the embedded store, which nobody may have open, and revokes every session and refresh
/// token in it.
///
/// - Parameters:
///   - file: what ``backUp(_:into:now:)`` made.
///   - url: the setting `store`.
///   - now: the time of the revocations.
///   - refusal: looks at the copy's own secret, and says why a server could not use it; `nil` when it could.
/// - Returns: what was put back.
/// - Throws: why it was not; the store is then as it was.
public func restore(
    _ file: String,
    to url: String,
    now: UnixTime,
    refusal: @escaping @Sendable (DeploymentSecret) -> String? = { _ in nil }
) async throws(StorageError) -> Restored {
    let path = try embedded(url)
    do throws(SQLiteBackupError) {
        let store = try await SQLiteBackup.restore(file, to: path, now: now, refusal: refusal)
        return Restored(
            madeAt: store.madeAt,
            sessions: store.sessions,
            refreshFamilies: store.refreshFamilies,
            previous: store.previous
        )
    } catch { throw .backup(error) }
}

/// What `restore` put back.
public struct Restored: Hashable, Sendable {
    /// When the copy was made; `nil` for one that does not say.
    public let madeAt: UnixTime?
    /// Sessions that were revoked.
    public let sessions: Int
    /// Families of refresh tokens that were revoked.
    public let refreshFamilies: Int
    /// Where the store that was there lies now.
    public let previous: String?
}

/// Makes sure that no server or command has the embedded store open. Of a store on a server of its own it knows nothing.
///
/// - Parameter url: the setting `store`.
/// - Throws: who is in the way.
public func refuseIfInUse(_ url: String) async throws(StorageError) {
    guard url.hasPrefix("sqlite:") else { return }
    let path = try embedded(url)
    do throws(SQLiteBackupError) {
        try await SQLiteBackup.refuseIfInUse(path)
    } catch { throw .backup(error) }
}

/// The file of the embedded store.
private func embedded(_ url: String) throws(StorageError) -> String {
    let scheme = url.prefix { $0 != ":" }
    guard scheme == "sqlite" else { throw .notEmbedded(scheme: String(scheme)) }
    let path = url.dropFirst("sqlite:".count).prefix { $0 != "?" }
    guard !path.isEmpty, path != ":memory:" else { throw .noFile(url: url) }
    return String(path)
}
