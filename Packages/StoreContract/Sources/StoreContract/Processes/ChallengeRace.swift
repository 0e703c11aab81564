public import Identity

/// A race of processes for the same ceremonies, which each of them can name without being told.
///
/// One process fills the cache, the others take; what they won, put together, must be each ceremony once.
public struct ChallengeRace: Sendable {
    private let cache: any ChallengeCache
    private let count: Int

    /// - Parameters:
    ///   - cache: this process's way to the shared cache.
    ///   - count: how many ceremonies, at most 65,536.
    public init(_ cache: any ChallengeCache, count: Int) {
        self.cache = cache
        self.count = count
    }

    /// Puts every ceremony in.
    public func fill() async throws {
        _ = try await inLanes(Array(0..<count)) { number in
            try await patiently { () throws(StoreError) in try await ticket(number).put(in: cache) }
            return false
        }
    }

    /// Takes every ceremony `tries` times, many at once, in an order of its own.
    ///
    /// - Returns: the numbers of those it won; one that it won twice is there twice.
    public func take(tries: Int = 1) async throws -> [Int] {
        try await inLanes((0..<count * tries).map { $0 % count }.shuffled()) { number in
            try await patiently { () throws(StoreError) in try await ticket(number).take(from: cache) } != nil
        }
    }

    /// Runs `body` for each of `numbers`, 32 at a time.
    ///
    /// - Returns: those for which it was true.
    private func inLanes(
        _ numbers: [Int],
        _ body: @escaping @Sendable (Int) async throws -> Bool
    ) async throws -> [Int] {
        let lanes = 32
        return try await withThrowingTaskGroup(of: [Int].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var chosen: [Int] = []
                    for index in stride(from: lane, to: numbers.count, by: lanes) where try await body(numbers[index]) {
                        chosen.append(numbers[index])
                    }
                    return chosen
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Does it again while the store is busy: it then surely did nothing.
    private func patiently<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        for _ in 0..<50 {
            do throws(StoreError) {
                return try await body()
            } catch {
                guard case .busy = error else { throw error }
            }
            try? await Task.sleep(for: .milliseconds(Int.random(in: 5...25)))
        }
        return try await body()
    }

    private func ticket(_ number: Int) -> Ticket {
        let hash = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 2 ? number >> (8 * $0) : 0x5A) }
        return Ticket(client: "racer-\(number % 8)", address: "2001:db8::\(number)", sessionHash: hash)
    }
}
