import Identity

/// The unique key that `body` finds taken; `nil` when it succeeds.
func conflict(_ body: () async throws(StoreError) -> Void) async throws(StoreError) -> StoreError.Conflict? {
    do throws(StoreError) {
        try await body()
        return nil
    } catch {
        guard case .unique(let conflict) = error else { throw error }
        return conflict
    }
}

func requireConflict(
    _ expected: StoreError.Conflict,
    _ what: String,
    _ body: () async throws(StoreError) -> Void
) async throws {
    let found = try await conflict(body)
    guard found == expected else {
        throw Violation("\(what) gives \(found.map { "a conflict of \($0)" } ?? "no conflict"), not of \(expected)")
    }
}
