/// One sentence of a port's contract, and the proof that a subject keeps it.
///
/// An adapter's tests run every promise of its port, each on a subject of its own or all on one:
///
///     @Test(arguments: CredentialDatabaseContract.promises)
///     func keeps(_ promise: Promise<any CredentialDatabase>) async throws {
///         try await promise.verify(store)
///     }
public struct Promise<Subject: Sendable>: Sendable, CustomStringConvertible {
    /// The promise in words.
    public let description: String
    private let body: @Sendable (Subject) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (Subject) async throws -> Void) {
        self.description = description
        self.body = body
    }

    /// Tries it on `subject`. It makes tenants of its own there, and leaves them.
    ///
    /// - Throws: ``Violation`` when the promise is broken; any other error when the subject fails.
    public func verify(_ subject: Subject) async throws {
        do {
            try await body(subject)
        } catch let violation as Violation {
            throw Violation("\(description): \(violation.description)")
        }
    }
}

/// How a promise was broken.
public struct Violation: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

func require(_ holds: Bool, _ expectation: String) throws(Violation) {
    guard holds else { throw Violation("not so: \(expectation)") }
}

func requireEqual<Value: Equatable>(_ got: Value, _ expected: Value, _ what: String) throws(Violation) {
    guard got == expected else { throw Violation("\(what) is \(got), and should be \(expected)") }
}

func requireSome<Value>(_ got: Value?, _ what: String) throws(Violation) -> Value {
    guard let got else { throw Violation("\(what) is missing") }
    return got
}

/// Runs `body` in `count` tasks at once and gathers what they return.
func race<Value: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for index in 0..<count { group.addTask { try await body(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
