import Encodings

extension MobileSettings {
    /// Reads the member `mobile` of a client (HTTP contract 11.4).
    init(_ reader: consuming DocumentReader) throws(DocumentError) {
        self.init()
        if var ios = try reader.object("ios") {
            // An empty object says nothing, as in configurations that were exported.
            let teamID = ios.take("team_id")
            let bundle = ios.take("app_bundle_identifier")
            if teamID != nil || bundle != nil {
                self.ios = IOSApp(
                    teamID: try Self.teamID(teamID, at: ios.path(of: "team_id")),
                    bundleIdentifier: try Self.bundleIdentifier(bundle, at: ios.path(of: "app_bundle_identifier"))
                )
            }
            try ios.end()
        }
        if var android = try reader.object("android") {
            let name = android.take("app_package_name")
            let fingerprints = android.take("sha256_cert_fingerprints")
            if name != nil || fingerprints != nil {
                self.android = AndroidApp(
                    packageName: try Self.packageName(name, at: android.path(of: "app_package_name")),
                    fingerprints: try Self.fingerprints(
                        fingerprints,
                        at: android.path(of: "sha256_cert_fingerprints")
                    )
                )
            }
            try android.end()
        }
        try reader.end()
    }

    var document: JSONObject {
        var document = JSONObject()
        if let ios {
            document.set(
                "ios",
                ["team_id": .string(ios.teamID), "app_bundle_identifier": .string(ios.bundleIdentifier)]
            )
        }
        if let android {
            document.set(
                "android",
                [
                    "app_package_name": .string(android.packageName),
                    "sha256_cert_fingerprints": .array(
                        android.fingerprints.map { .string(Self.fingerprintText($0)) }
                    ),
                ]
            )
        }
        return document
    }

    private static func teamID(_ value: JSONValue?, at path: String) throws(DocumentError) -> String {
        guard let value else { throw .missingMember(path: path) }
        guard let text = value.string, text.utf8.count == 10,
            text.utf8.allSatisfy({ 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 })
        else { throw .invalid(path, value, mustBe: "10 of A to Z and 0 to 9") }
        return text
    }

    private static func bundleIdentifier(_ value: JSONValue?, at path: String) throws(DocumentError) -> String {
        guard let value else { throw .missingMember(path: path) }
        guard let text = value.string, (1...155).contains(text.utf8.count),
            text.utf8.allSatisfy({ isLetter($0) || isDigit($0) || $0 == 0x2E || $0 == 0x2D })
        else { throw .invalid(path, value, mustBe: "1 to 155 letters, digits, dots and hyphens") }
        return text
    }

    /// `com.acme.app`: at least two parts, each a letter and then letters, digits and `_`.
    private static func packageName(_ value: JSONValue?, at path: String) throws(DocumentError) -> String {
        guard let value else { throw .missingMember(path: path) }
        let parts = value.string?.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) ?? []
        guard let text = value.string, text.utf8.count <= 255, parts.count >= 2,
            parts.allSatisfy({ part in
                part.first.map(isLetter) == true
                    && part.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
            })
        else { throw .invalid(path, value, mustBe: "a Java package name as com.acme.app") }
        return text
    }

    private static func fingerprints(_ value: JSONValue?, at path: String) throws(DocumentError) -> [[UInt8]] {
        guard let value else { throw .missingMember(path: path) }
        guard let elements = value.array, (1...20).contains(elements.count) else {
            throw .invalid(path, value, mustBe: "a list of 1 to 20 fingerprints")
        }
        var fingerprints: [[UInt8]] = []
        for (index, element) in elements.enumerated() {
            guard let bytes = element.string.flatMap(fingerprint) else {
                throw .invalid(
                    "\(path)[\(index)]",
                    element,
                    mustBe: "32 pairs of hexadecimal digits with : between them"
                )
            }
            fingerprints.append(bytes)
        }
        return fingerprints
    }

    /// Reads `D8:A0:…`, 32 pairs in either case; `nil` for anything else.
    private static func fingerprint(_ text: String) -> [UInt8]? {
        let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard pairs.count == 32, pairs.allSatisfy({ $0.count == 2 }) else { return nil }
        return try? Hex.decode(String(decoding: pairs.flatMap { $0 }, as: UTF8.self))
    }

    /// `D8:A0:…` in upper case.
    private static func fingerprintText(_ bytes: [UInt8]) -> String {
        bytes.map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x41...0x5A ~= byte || 0x61...0x7A ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
