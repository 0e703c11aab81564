import Encodings
public import Identity
public import PublicSuffix

/// What a host answered when it was asked for an association file as Apple, Google and browsers ask: over HTTPS, with no
/// redirect followed.
public enum FetchedFile: Hashable, Sendable {
    /// No answer: the name, the connection or the certificate is wrong. `reason` is one line.
    case unreachable(reason: String)
    /// More bytes came than anybody takes.
    case tooLarge(limit: Int)
    case answer(status: Int, contentType: String?, location: String?, body: [UInt8])
}

/// Whether a host serves what apps and browsers need of it (HTTP contract 14), and what to do when it does not.
public struct AssociationCheck: Sendable {
    /// More is not taken by Apple's systems.
    public static let maximumSize = 128 << 10

    /// The host that is asked, an RP ID.
    public let host: String
    private let apple: [MobileSettings.IOSApp]
    private let android: [MobileSettings.AndroidApp]
    private let origins: [String]
    private let suffixes: PublicSuffixList

    /// - Parameters:
    ///   - host: an RP ID.
    ///   - clients: whose apps the files have to name.
    ///   - origins: which `webauthn` has to list.
    ///   - suffixes: by which labels are counted.
    public init(host: String, clients: [Client], origins: [String], suffixes: PublicSuffixList) {
        self.host = host
        apple = clients.compactMap(\.mobile.ios)
        android = clients.compactMap(\.mobile.android)
        self.origins = origins
        self.suffixes = suffixes
    }

    /// Where the files lie that somebody needs.
    public var paths: [String] {
        (apple.isEmpty ? [] : [AssociationFiles.Path.apple]) + (android.isEmpty ? [] : [AssociationFiles.Path.android])
            + (origins.isEmpty ? [] : [AssociationFiles.Path.relatedOrigins])
    }

    /// One thing that is wrong with one file.
    public struct Finding: Hashable, Sendable {
        /// `https://HOST/PATH`.
        public let address: String
        /// What is wrong; a sentence.
        public let problem: String
        /// What to do about it; a sentence.
        public let remedy: String
    }

    /// What is wrong with the file of `path`, as it was fetched; nothing when it is good.
    public func findings(at path: String, _ file: FetchedFile) -> [Finding] {
        let address = "https://\(host)\(path)"
        func finding(_ problem: String, _ remedy: String) -> [Finding] {
            [Finding(address: address, problem: problem, remedy: remedy)]
        }
        switch file {
        case .unreachable(let reason):
            return finding(
                "It cannot be fetched: \(reason).",
                "\(host) needs a public address, port 443, and a certificate that every device trusts."
            )
        case .tooLarge(let limit):
            return finding("It has more than \(limit) bytes.", "Serve the file itself, not a page.")
        case .answer(let status, _, let location, _) where (300..<400).contains(status):
            return finding(
                "It answers with a redirect (\(status)\(location.map { " to \($0)" } ?? "")), which nobody follows.",
                "Serve the file at this address, before any rule that redirects."
            )
        case .answer(let status, _, _, _) where status != 200:
            return finding(
                "It answers with status \(status).",
                "Serve the file there, to everybody and without a sign-in: device files writes it, with the lines for "
                    + "the proxy."
            )
        case .answer(_, let type, _, let body):
            return content(type, body, at: path).map { Finding(address: address, problem: $0, remedy: $1) }
        }
    }

    private func content(_ type: String?, _ body: [UInt8], at path: String) -> [(String, String)] {
        var problems: [(String, String)] = []
        let media = (type ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        if media != "application/json" {
            problems.append(
                (
                    "Its content type is \(type.map { "\"\($0)\"" } ?? "missing").",
                    "Serve it as application/json; a file without an extension needs that said to the web server."
                )
            )
        }
        if body.count > Self.maximumSize {
            problems.append(("It has \(body.count) bytes, more than 128 KiB.", "Remove what does not belong there."))
        }
        guard let json = try? JSON.parse(body) else {
            let looks = body.first == UInt8(ascii: "<") ? " but a page" : ""
            problems.append(("It is no JSON\(looks).", "Serve the file that device files writes."))
            return problems
        }
        switch path {
        case AssociationFiles.Path.android: problems += missingStatements(json)
        case AssociationFiles.Path.relatedOrigins: problems += missingOrigins(json)
        default: problems += missingApps(json)
        }
        return problems
    }

    private func missingApps(_ json: JSONValue) -> [(String, String)] {
        let named = json.object?["webcredentials"]?.object?["apps"]?.array?.compactMap(\.string) ?? []
        return apple.map(\.appID).filter { !named.contains($0) }.map { app in
            (
                "webcredentials.apps does not name \(app).",
                "Add it, or serve the file that device files writes; devices keep the old one for up to a week."
            )
        }
    }

    private func missingStatements(_ json: JSONValue) -> [(String, String)] {
        let statements = (json.array ?? []).compactMap(\.object)
        func fingerprints(of app: MobileSettings.AndroidApp) -> Set<String> {
            let own = statements.filter { statement in
                let relations = statement["relation"]?.array?.compactMap(\.string) ?? []
                let target = statement["target"]?.object
                return relations.contains(AssociationFiles.getsLoginCredentials)
                    && target?["namespace"]?.string == "android_app"
                    && target?["package_name"]?.string == app.packageName
            }
            let texts = own.flatMap {
                $0["target"]?.object?["sha256_cert_fingerprints"]?.array?.compactMap(\.string) ?? []
            }
            return Set(texts)
        }
        var problems: [(String, String)] = []
        for app in android {
            let named = fingerprints(of: app)
            if named.isEmpty {
                problems.append(
                    (
                        "No statement gives \(app.packageName) the relation \(AssociationFiles.getsLoginCredentials).",
                        "Add the statement that device files writes; without that relation there are no passkeys."
                    )
                )
                continue
            }
            for text in app.fingerprintTexts where !named.contains(text) {
                let isOtherCase = named.contains { $0.uppercased() == text }
                problems.append(
                    isOtherCase
                        ? (
                            "The fingerprint \(text) of \(app.packageName) is not in upper case.",
                            "Write it in upper case, as Google asks."
                        )
                        : (
                            "\(app.packageName) lacks the fingerprint \(text).",
                            "Add it: an app that was signed with that key gets no passkeys."
                        )
                )
            }
        }
        return problems
    }

    private func missingOrigins(_ json: JSONValue) -> [(String, String)] {
        let listed = json.object?["origins"]?.array?.compactMap(\.string) ?? []
        var problems = origins.filter { !listed.contains($0) }.map { origin in
            ("It does not list \(origin).", "Add it, or serve the file that device files writes.")
        }
        for finding in RelatedOrigins.lint(listed, relyingPartyID: host, suffixes: suffixes)
        where finding.isFault && origins.contains(finding.origin) {
            problems.append(("\(finding.origin) \(finding.sentence).", "Browsers refuse passkeys there until then."))
        }
        return problems
    }
}
