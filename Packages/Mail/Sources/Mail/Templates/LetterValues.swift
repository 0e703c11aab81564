import Identity

extension MailKind {
    /// The placeholders that templates of this kind may have.
    var placeholders: [String] {
        switch self {
        case .test: ["tenant", "address"]
        case .passwordReset: ["tenant", "address", "link", "hours"]
        case .recoveryCode: ["tenant", "address", "code", "link", "minutes", "stop"]
        case .recoveryStarted: ["tenant", "address", "time", "place", "device", "stop"]
        case .recoveryEnded: ["tenant", "address", "time", "place", "device", "stop", "days"]
        case .passkeyUpgraded: ["tenant", "address", "time", "place", "device", "provider", "stop", "days"]
        }
    }
}

extension Letter.Occasion {
    /// The values of this letter alone, by placeholder.
    var values: [String: String] {
        switch self {
        case .test: [:]
        case .passwordReset(let link, let hours): ["link": link, "hours": "\(hours)"]
        case .recoveryCode(let code, let link, let minutes, let stop):
            // Read and typed in two halves.
            ["code": code.prefix(4) + " " + code.dropFirst(4), "link": link, "minutes": "\(minutes)", "stop": stop]
        case .recoveryStarted(let circumstances, let stop): circumstances.values(["stop": stop])
        case .recoveryEnded(let circumstances, let stop, let days):
            circumstances.values(["stop": stop, "days": "\(days)"])
        case .passkeyUpgraded(let circumstances, let provider, let stop, let days):
            circumstances.values(["provider": provider, "stop": stop, "days": "\(days)"])
        }
    }
}

extension Letter.Circumstances {
    /// Their values with others.
    fileprivate func values(_ others: [String: String]) -> [String: String] {
        var values = others
        // To the minute, in UTC: 2026-01-31 10:20 UTC.
        let text = time.rfc3339
        values["time"] = text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
        values["place"] = device.address
        // What a header says is not put into a mail: whoever asks for the mail would write it.
        values["device"] = DeviceName.known(device.userAgent) ?? "-"
        return values
    }
}
