public import Identity
import StoreSQL

/// Moves everything from one store to another, compares them, and only then lets the new one be served; or copies ahead
/// while the old one is served, and leaves the new one unfinished.
///
/// - Parameters:
///   - source: the setting `store` of the deployment that is moved; it is only read.
///   - target: the setting `store` of where it goes: an empty store, which gets its schema, or an unfinished copy.
///   - preparing: the setting `store_prepare` of each.
///   - isAhead: whether the target stays unfinished, for another call to bring what the source gets meanwhile.
///   - now: when the copy begins.
///   - digest: a hash of at least 32 bytes, by which the stores are compared.
///   - progress: hears of every table that is copied, and how many rows it has so far.
/// - Returns: the tables, which are the same in both stores; of a copy ahead what was copied up to now, not compared.
/// - Throws: why it is not finished. What was copied stays, and another call goes on from there.
public func copyStore(
    from source: String,
    to target: String,
    preparing: (source: Bool, target: Bool) = (true, true),
    isAhead: Bool = false,
    now: UnixTime,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    progress: @Sendable (String, Int64) -> Void
) async throws(StorageError) -> [CopiedRows] {
    let from = try await openStore(source, prepares: preparing.source)
    let to: any CredentialDatabase
    do throws(StorageError) {
        to = try await openStore(target, schema: .copyTarget, prepares: preparing.target)
    } catch {
        await from.close()
        throw error
    }
    let result = await copied(from, to, isAhead, now, digest, progress)
    await to.close()
    await from.close()
    return try result.get()
}

/// What two stores have in common of one table, or what was copied of it.
public struct CopiedRows: Hashable, Sendable {
    public let table: String
    public let count: Int64
    /// 32 bytes: what the hashes of all rows add up to; `nil` for rows that were not compared.
    public let sum: [UInt8]?
}

private func copied(
    _ source: any CredentialDatabase,
    _ target: any CredentialDatabase,
    _ isAhead: Bool,
    _ now: UnixTime,
    _ digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    _ progress: @Sendable (String, Int64) -> Void
) async -> Result<[CopiedRows], StorageError> {
    guard let from = source as? SQLStore, let to = target as? SQLStore else { return .failure(.notCopied) }
    do throws(StoreCopy.Failure) {
        let copy = StoreCopy(from: from, to: to, digest: digest)
        if isAhead {
            let tables = try await copy.ahead(now: now, progress: progress)
            return .success(tables.map { CopiedRows(table: $0.name, count: $0.rows, sum: nil) })
        }
        let tables = try await copy.run(now: now, progress: progress)
        return .success(tables.map { CopiedRows(table: $0.name, count: $0.rows, sum: $0.sum) })
    } catch {
        return .failure(.copy(error))
    }
}
