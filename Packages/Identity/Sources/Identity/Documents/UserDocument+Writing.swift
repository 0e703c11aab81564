public import Encodings

/// The members that every document about a user shares, whoever reads it: the Management API, an export, an operator.
extension User {
    /// Sets `email`, `username` and `phone_number` as they were entered, the first and the last with whether they are
    /// verified; those that the user has.
    public func writeIdentifiers(to document: inout JSONObject) {
        if let email = identifier(.email) {
            document.set("email", .string(email.entered))
            document.set("email_verified", .bool(email.isVerified))
        }
        if let username = identifier(.username) { document.set("username", .string(username.entered)) }
        if let phone = identifier(.phoneNumber) {
            document.set("phone_number", .string(phone.entered))
            document.set("phone_verified", .bool(phone.isVerified))
        }
    }

    /// Sets `name`, `nickname`, `given_name`, `family_name` and `picture`.
    ///
    /// - Parameters:
    ///   - document: takes them.
    ///   - name: instead of one that is not set; `nil`: none.
    ///   - nickname: likewise.
    public func writeProfile(to document: inout JSONObject, name: String? = nil, nickname: String? = nil) {
        for case (let member, let text?) in [
            ("name", profile.name ?? name), ("nickname", profile.nickname ?? nickname),
            ("given_name", profile.givenName), ("family_name", profile.familyName), ("picture", profile.picture),
        ] {
            document.set(member, .string(text))
        }
    }

    /// Sets `blocked`, `created_at`, `updated_at`, `last_login` if there was one, and `logins_count`.
    public func writeHistory(to document: inout JSONObject) {
        document.set("blocked", .bool(blockedAt != nil))
        document.set("created_at", .string(createdAt.rfc3339))
        document.set("updated_at", .string(updatedAt.rfc3339))
        if let lastLogin { document.set("last_login", .string(lastLogin.rfc3339)) }
        document.set("logins_count", .integer(loginsCount))
    }

    /// Sets `user_metadata` and `app_metadata`.
    public func writeMetadata(to document: inout JSONObject) {
        document.set("user_metadata", .object(profile.userMetadata))
        document.set("app_metadata", .object(profile.appMetadata))
    }
}
