import Encodings
import Terminal

/// What one look at a deployment found.
struct Finding: Hashable, Sendable {
    enum Status: String, Hashable, Sendable {
        case ok
        /// Works, and should be otherwise.
        case warning
        case failed
        /// Not looked at, for the reason that the text gives.
        case skipped
    }

    /// What was looked at: `store`, `TLS`.
    enum Check: String, Hashable, Sendable {
        case configuration, store, challenges, mail, clock, origins
        case masterKey = "master key"
        case tenant = "tenants"
        case tls = "TLS"
        case publicName = "public name"
        case proxyHeaders = "proxy headers"
        case keySet = "JWKS"
        case association = "app files"
    }

    let check: Check
    let status: Status
    /// Which of them: a URL, a file, a name.
    let subject: String
    /// What is so; without a stop at its end.
    let text: String
    /// What to do about it, a sentence; `nil` where nothing is to be done.
    let remedy: String?

    init(_ check: Check, _ status: Status, _ subject: String, _ text: String, remedy: String? = nil) {
        self.check = check
        self.status = status
        self.subject = subject
        self.text = text.hasSuffix(".") ? String(text.dropLast()) : text
        self.remedy = remedy
    }

    var document: JSONObject {
        [
            "check": .string(check.rawValue), "status": .string(status.rawValue), "subject": .string(subject),
            "finding": .string(text), "remedy": remedy.map(JSONValue.string) ?? .null,
        ]
    }
}

/// The findings, told as they come: a line each, or one JSON array at the end.
struct FindingReport {
    let console: Console
    let format: OutputFormat
    private(set) var findings: [Finding] = []

    init(_ console: Console, _ format: OutputFormat) {
        self.console = console
        self.format = format
    }

    mutating func add(_ found: [Finding]) {
        findings += found
        guard format == .table else { return }
        for finding in found {
            console.answer("\(label(finding.status))  \(column(finding.check.rawValue, 13))  \(sentence(finding))")
            if let remedy = finding.remedy, finding.status != .ok {
                console.answer(String(repeating: " ", count: 25) + printable(remedy))
            }
        }
    }

    /// Tells how it came out, and whether a deployment with these findings may go on.
    func end() -> ExitCode {
        func count(_ status: Finding.Status) -> Int { findings.count { $0.status == status } }
        if format == .table {
            console.note("\(count(.failed)) failed, \(count(.warning)) warnings, \(count(.ok)) as they should be")
        } else {
            console.answer(Listing([], rows: findings.map(\.document)), as: format)
        }
        return count(.failed) == 0 ? .done : .answerIsNo
    }

    private func sentence(_ finding: Finding) -> String {
        printable(finding.subject.isEmpty ? finding.text : "\(finding.subject): \(finding.text)")
    }

    private func label(_ status: Finding.Status) -> String {
        let style: TextStyle =
            switch status {
            case .ok: .green
            case .warning: .yellow
            case .failed: .red
            case .skipped: .dim
            }
        return console.styled(column(status.rawValue, 8), style, on: console.output)
    }

    private func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
