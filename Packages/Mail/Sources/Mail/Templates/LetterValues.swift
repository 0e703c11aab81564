import Identity

extension MailKind {
    /// The placeholders that templates of this kind may have.
    var placeholders: [String] {
        switch self {
        case .test: ["tenant", "address"]
        case .passwordReset: ["tenant", "address", "link", "hours"]
        }
    }
}

extension Letter.Occasion {
    /// The values of this letter alone, by placeholder.
    var values: [String: String] {
        switch self {
        case .test: [:]
        case .passwordReset(let link, let hours): ["link": link, "hours": "\(hours)"]
        }
    }
}
