import Encodings

extension JSONObject {
    /// The document without what `defaults` says anyway, deeply, but for the members `kept`.
    ///
    /// A list and a value go whole or stay whole; an object inside goes when nothing of it is left.
    func compacted(against defaults: JSONObject, keeping kept: Set<String> = []) -> JSONObject {
        var compact = JSONObject()
        for member in members {
            guard !kept.contains(member.name), let standard = defaults[member.name] else {
                compact.set(member.name, member.value)
                continue
            }
            if member.value == standard { continue }
            if let inner = member.value.object, let standard = standard.object {
                compact.set(member.name, .object(inner.compacted(against: standard)))
            } else {
                compact.set(member.name, member.value)
            }
        }
        return compact
    }
}

/// One member that differs between two states of a thing.
struct MemberDifference: Hashable, Sendable {
    /// `options.passkey_options.webauthn.user_verification`.
    let path: String
    /// `nil`: it is not set.
    let before: JSONValue?
    let after: JSONValue?
}

extension JSONObject {
    /// Where `other` differs, member by member into objects; lists and values are compared whole. In the order of this
    /// document, what only `other` has behind it.
    func differences(to other: JSONObject, path: String = "") -> [MemberDifference] {
        var found: [MemberDifference] = []
        func compare(_ name: String, _ before: JSONValue?, _ after: JSONValue?) {
            guard before != after else { return }
            let place = path + name
            if let inner = before?.object, let newer = after?.object {
                found += inner.differences(to: newer, path: place + ".")
            } else {
                found.append(MemberDifference(path: place, before: before, after: after))
            }
        }
        for member in members { compare(member.name, member.value, other[member.name]) }
        for member in other.members where self[member.name] == nil { compare(member.name, nil, member.value) }
        return found
    }
}
