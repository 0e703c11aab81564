internal import Encodings
internal import Identity

/// The claims about a user that scopes open (HTTP contract 5.6), the same at the user-info endpoint and in ID tokens.
enum UserClaims {
    /// Writes the members; absent values are left out.
    static func write(_ user: User, scope: [String], to json: inout JSONWriter) {
        // A handful of words: looking through them is cheaper than hashing them.
        let opened = scope
        let profile = opened.contains("profile")
        for (name, value) in [
            ("name", user.profile.name), ("given_name", user.profile.givenName),
            ("family_name", user.profile.familyName), ("nickname", user.profile.nickname),
            ("picture", user.profile.picture),
        ] {
            guard let value, profile || opened.contains(name) else { continue }
            json.member(name, value)
        }
        if profile { json.member("updated_at", user.updatedAt.rfc3339) }
        if opened.contains("created_at") { json.member("created_at", user.createdAt.rfc3339) }
        if let email = user.identifier(.email) {
            if opened.contains("email") { json.member("email", email.entered) }
            if opened.contains("email") || opened.contains("email_verified") {
                json.name("email_verified")
                json.bool(email.isVerified)
            }
        }
        if let phone = user.identifier(.phoneNumber), opened.contains("phone") {
            json.member("phone_number", phone.entered)
            json.name("phone_number_verified")
            json.bool(phone.isVerified)
        }
    }
}
