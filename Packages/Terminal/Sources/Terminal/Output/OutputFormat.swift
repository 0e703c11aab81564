/// What `-o` takes.
public enum OutputFormat: String, Hashable, Sendable, CaseIterable {
    case table, json
    /// For lists only.
    case csv
}
