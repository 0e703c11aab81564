import CSQLite
public import Identity
public import StoreSQL
import Threads

/// Copies of a store in one file, made while it is served, and put back when it is not.
public enum SQLiteBackup {
    /// Writes all that is committed in the store at `path` into the new file `file`, for its owner alone. Readers and
    /// writers go on meanwhile; the copy is of one moment, and on the disk when this returns.
    ///
    /// - Parameters:
    ///   - path: the store.
    ///   - file: the copy, which must not exist.
    ///   - now: what the copy says of when it was made.
    /// - Throws: why there is no copy; `file` is then as it was.
    public static func make(
        of path: String,
        into file: String,
        now: UnixTime
    ) async throws(SQLiteBackupError) {
        try await onThread { () throws(SQLiteBackupError) in
            guard unsafe latchkey_mode(path) >= 0 else { throw .noStore(path: path) }
            let folder = StoreFile(path: file).folder
            guard unsafe latchkey_mode(folder) >= 0 else { throw .noFolder(path: folder) }
            guard unsafe latchkey_mode(file) == -ENOENT else { throw .exists(path: file) }
            let part = file + ".part"
            do throws(SQLiteBackupError) {
                try copy(path, into: part)
                try at(part) { () throws(StoreError) in
                    let copy = try SQLiteConnection(path: part, .readWrite, patience: 0)
                    try copy.execute("CREATE TABLE backup (made_at INTEGER NOT NULL) STRICT")
                    try copy.execute("INSERT INTO backup VALUES (\(now.milliseconds))")
                }
                try system(part, unsafe latchkey_sync(part))
                try system(file, unsafe latchkey_move_new(part, file))
                try system(file, unsafe latchkey_sync(folder))
            } catch {
                remove(part)
                throw error
            }
        }
    }

    /// Puts a copy in the place of the store at `path`, which nobody may have open. What was there is kept beside it.
    ///
    /// All sessions and refresh tokens of the copy are revoked: what was revoked or used since it was made is not in
    /// it. Challenges go, for those that were answered since would be good again.
    ///
    /// - Parameters:
    ///   - file: what ``make(of:into:now:)`` made; it stays as it is.
    ///   - path: the store.
    ///   - now: the time of the revocations.
    ///   - refusal: looks at the copy's own secret, and says why a server could not use it; `nil` when it could.
    /// - Returns: what was put back.
    /// - Throws: why it was not; the store is then as it was.
    public static func restore(
        _ file: String,
        to path: String,
        now: UnixTime,
        refusal: @escaping @Sendable (DeploymentSecret) -> String? = { _ in nil }
    ) async throws(SQLiteBackupError) -> RestoredStore {
        try await onThread { () throws(SQLiteBackupError) in
            guard unsafe latchkey_mode(file) >= 0 else { throw .noStore(path: file) }
            let part = path + ".restoring"
            do throws(SQLiteBackupError) {
                try copy(file, into: part)
                try BackupSchema.verify(part, of: file)
                let secret = try at(file) { () throws(StoreError) in
                    var copy = try SQLiteConnection(path: part, .readOnly, patience: 0)
                    return try copy.read(Restoration.secret)
                }
                if let reason = secret.flatMap(refusal) { throw .refused(path: file, reason: reason) }
                let restored = try at(file) { () throws(StoreError) in try prepare(part, now: now) }
                try system(part, unsafe latchkey_sync(part))
                let previous = try exchange(path, for: part, now: now)
                return RestoredStore(
                    madeAt: restored.madeAt,
                    sessions: restored.sessions,
                    refreshFamilies: restored.families,
                    previous: previous
                )
            } catch {
                remove(part)
                throw error
            }
        }
    }

    /// Copies what is committed in one database into a new one, page by page in a new order, without those that are
    /// free.
    private static func copy(_ path: String, into part: String) throws(SQLiteBackupError) {
        // What one that was killed has left.
        remove(part)
        try system(part, unsafe latchkey_create_file(part))
        try at(path) { () throws(StoreError) in
            let source = try SQLiteConnection(path: path, .readWrite, patience: 1000)
            guard try source.isOurs(), try source.execute("SELECT COUNT(*) FROM sqlite_schema") != .integer(0) else {
                throw .corrupt(reason: "another program's database")
            }
        }
        // What has no room now, or cannot be written, is the copy; the store is only read.
        try at(path, writing: part) { () throws(StoreError) in
            let source = try SQLiteConnection(path: path, .readWrite, patience: 1000)
            let quoted = part.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            try source.execute("VACUUM INTO '\(quoted)'")
        }
    }

    /// Removes a copy that is not whole, with what SQLite keeps beside it.
    private static func remove(_ part: String) {
        for end in ["", "-journal", "-wal", "-shm"] { unsafe unlink(part + end) }
    }

    /// Looks whether the copy is whole, and makes it fit to go on from.
    private static func prepare(
        _ part: String,
        now: UnixTime
    ) throws(StoreError) -> (madeAt: UnixTime?, sessions: Int, families: Int) {
        var copy = try SQLiteConnection(path: part, .readWrite, patience: 0)
        let verdict = try copy.execute("PRAGMA integrity_check")
        guard verdict == .text("ok") else { throw .corrupt(reason: "its pages do not fit together: \(verdict)") }
        var madeAt: UnixTime?
        if try copy.execute("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'backup'") == .integer(1) {
            if case .integer(let time) = try copy.execute("SELECT made_at FROM backup") {
                madeAt = UnixTime(milliseconds: time)
            }
            try copy.execute("DROP TABLE backup")
        }
        let revoked = try copy.write(Restoration.step(madeAt: madeAt, now: now))
        return (madeAt, revoked.sessions, revoked.refreshFamilies)
    }

    /// Puts `part` in the place of the store, under the openers' lock, once nobody has the store open.
    private static func exchange(
        _ path: String,
        for part: String,
        now: UnixTime
    ) throws(SQLiteBackupError) -> String? {
        let store = StoreFile(path: path)
        var failure: SQLiteBackupError?
        var previous: String?
        let body = { () throws(SQLiteBackupError) in
            if unsafe latchkey_mode(path) >= 0 {
                try leave(path)
                let kept = path + ".before-" + now.rfc3339.filter { $0 != ":" && $0 != "-" }
                try system(path, unsafe latchkey_move_new(path, kept))
                previous = kept
            }
            try system(path, unsafe latchkey_move_new(part, path))
            try system(path, unsafe latchkey_sync(store.folder))
        }
        do throws(SQLiteOpenError) {
            try store.whileLocked { () throws(SQLiteOpenError) in
                do throws(SQLiteBackupError) { try body() } catch { failure = error }
            }
        } catch {
            throw .open(error)
        }
        if let failure { throw failure }
        return previous
    }

    /// Makes sure that nobody has the store at `path` open; one that is not there is open to nobody.
    ///
    /// - Throws: `.inUse`, `.open`.
    public static func refuseIfInUse(_ path: String) async throws(SQLiteBackupError) {
        try await onThread { () throws(SQLiteBackupError) in
            if unsafe latchkey_mode(path) >= 0 { try leave(path) }
        }
    }

    /// Makes sure that nobody else has the store open, and that its file holds all that its log does.
    private static func leave(_ path: String) throws(SQLiteBackupError) {
        do throws(StoreError) {
            let store = try SQLiteConnection(path: path, .readWrite, patience: 0)
            // From its first look on, the connection shares the file with nobody, or does not get it.
            try store.execute("PRAGMA locking_mode = EXCLUSIVE")
            guard try store.isOurs() else { throw .corrupt(reason: "another program's database") }
            try store.execute("BEGIN IMMEDIATE")
            try store.execute("COMMIT")
            try store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            if case .busy = error { throw .inUse(path: path) }
            throw .open(.store(path: path, error))
        }
    }

    static func at<Value>(
        _ path: String,
        writing target: String? = nil,
        _ body: () throws(StoreError) -> Value
    ) throws(SQLiteBackupError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            switch error {
            case .full, .readOnly: if let target { throw .open(.store(path: target, error)) }
            default: break
            }
            if case .corrupt(let reason) = error { throw .damaged(path: path, reason: reason) }
            throw .open(.store(path: path, error))
        }
    }

    /// Takes what a system call gave: 0, or `errno`.
    private static func system(_ path: String, _ code: Int32) throws(SQLiteBackupError) {
        if code == EEXIST { throw .exists(path: path) }
        guard code == 0 else { throw .open(.file(path: path, reason: StoreFile.text(of: code))) }
    }

    /// Copying takes as long as the disk does, which a thread of Swift's own pool must not wait for.
    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SQLiteBackupError) -> Value
    ) async throws(SQLiteBackupError) -> Value {
        guard let pool = try? BlockingPool(name: "sqlite-backup", threadCount: 1) else { throw .open(.noThread) }
        return try await pool.run(refused: { _ in .open(.noThread) }, body)
    }
}

/// What ``SQLiteBackup/restore(_:to:now:refusal:)`` put back.
public struct RestoredStore: Hashable, Sendable {
    /// When the copy was made; `nil` for one that does not say.
    public let madeAt: UnixTime?
    /// Sessions that were revoked.
    public let sessions: Int
    /// Families of refresh tokens that were revoked.
    public let refreshFamilies: Int
    /// Where the store that was there lies now.
    public let previous: String?
}

/// Why a copy was not made or not put back. ``description`` says what to do.
public enum SQLiteBackupError: Error, Hashable, Sendable {
    case noStore(path: String)
    /// The folder that a copy should go into.
    case noFolder(path: String)
    case exists(path: String)
    case inUse(path: String)
    case damaged(path: String, reason: String)
    /// This version does not run on the copy's schema.
    case schema(path: String, SchemaError)
    /// No server could use the copy, for this reason.
    case refused(path: String, reason: String)
    case open(SQLiteOpenError)
}

extension SQLiteBackupError: CustomStringConvertible {
    /// What is wrong and what to do, for the operator.
    public var description: String {
        switch self {
        case .noStore(let path): "\(path) is not there."
        case .noFolder(let path): "The folder \(path) is not there. Make it, or name a file in another."
        case .exists(let path): "\(path) is there already, and stays as it is. Name another file."
        case .inUse(let path): "\(path) is in use. Stop the server, and every command that has it open, first."
        case .damaged(let path, let reason): "\(path) is not a whole database of Latchkey: \(reason)."
        case .schema(let path, let error): "\(path) was not put back: \(error)"
        case .refused(let path, let reason): "\(path) was not put back: \(reason)"
        case .open(let error): error.description
        }
    }
}
