/// A part of the server that a version may not have yet.
public enum SettingsFeature: Hashable, Sendable, CaseIterable {
    case postgres, redis, challengesInStore
    case tls, adminListener, unixListeners, rateLimits
    case mail, metadata, breachedPasswords, publicSuffixList, dns
}

extension Settings {
    /// One line for each setting that switches on what this version has not got.
    public func notBuilt(in built: Set<SettingsFeature>) -> [String] {
        SettingsFeature.allCases.filter { !built.contains($0) }.compactMap(sentence)
    }

    /// Why the settings cannot be kept without `feature`, or `nil` when they do not use it.
    private func sentence(_ feature: SettingsFeature) -> String? {
        switch feature {
        case .postgres:
            guard case .postgres = store.value else { return nil }
            return "store is \(store.value), but this version has no PostgreSQL yet. Use sqlite:PATH."
        case .redis:
            guard case .redis = challenges.value else { return nil }
            return "challenges is \(challenges.value), but this version has no Redis yet. Use memory."
        case .challengesInStore:
            guard challenges.value == .store else { return nil }
            return "challenges is store, but this version cannot keep them there yet. Use memory."
        case .tls:
            guard tlsCertificate.value != nil else { return nil }
            return "tls.certificate is set, but this version cannot speak TLS yet. Remove it, and use a proxy."
        case .adminListener: return adminListen.value.isEmpty ? nil : missing(.adminListen, "has no admin listener")
        case .unixListeners:
            let isUsed = (listen.value + adminListen.value).contains { if case .unix = $0 { true } else { false } }
            return isUsed ? "listen names a unix: socket, but this version has none yet. Use host:port." : nil
        case .rateLimits:
            let changed = entries.first {
                ($0.key.section == "rate_limits") && $0.source != .default && $0.value != "off"
            }
            return changed.map { missing($0.key, "has no rate limits") }
        case .mail:
            if case .smtp = mail.value { return missing(.mail, "cannot send mail") }
            return mailTemplates.value == nil ? nil : missing(.mailTemplates, "cannot send mail")
        case .metadata:
            let isSet: [(SettingKey, Bool)] = [
                (.metadataRoots, metadataRoots.value != nil), (.metadataURL, metadataURL.value != nil),
                (.metadataCRLs, metadataCRLs.value != nil),
            ]
            return isSet.first { $0.1 }.map { missing($0.0, "cannot read metadata of authenticators") }
        case .breachedPasswords:
            return breachedPasswords.value == nil ? nil : missing(.breachedPasswords, "does not check passwords")
        case .publicSuffixList:
            return publicSuffixList.source == .default ? nil : missing(.publicSuffixList, "does not read the list")
        case .dns: return dnsServers.value.isEmpty ? nil : missing(.dnsServers, "asks no name servers")
        }
    }

    private func missing(_ key: SettingKey, _ what: String) -> String {
        let source = entries.first { $0.key == key }?.source ?? .default
        return "\(key.name) is set, but this version \(what) yet. Remove it (\(source))."
    }
}
