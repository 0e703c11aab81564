import CHiredis
import Identity

/// What Redis answered to one command.
enum RedisReply: Hashable, Sendable {
    case none
    case integer(Int64)
    case text([UInt8])
    case list([RedisReply])
    /// `PREFIX words…`
    case error(String)

    /// Copies hiredis's own form, which the caller frees. Arrays may be as deep as hiredis reads them, which is 7.
    @safe init(_ reply: UnsafePointer<redisReply>) {
        let reply = unsafe reply.pointee
        switch unsafe reply.type {
        case REDIS_REPLY_INTEGER:
            self = unsafe .integer(reply.integer)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS:
            self = unsafe .text(Self.bytes(reply))
        case REDIS_REPLY_ERROR:
            self = unsafe .error(String(decoding: Self.bytes(reply).prefix(300), as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            var list: [RedisReply] = []
            for index in unsafe 0..<reply.elements {
                if let element = unsafe reply.element?[Int(index)] { list.append(RedisReply(element)) }
            }
            self = .list(list)
        default: self = .none
        }
    }

    var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    var text: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    private static func bytes(_ reply: redisReply) -> [UInt8] {
        guard let start = unsafe reply.str else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(reply.len)))
    }
}

extension StoreError {
    /// The error that Redis's own words mean (design: failure rules).
    init(redis text: String) {
        let reason = "Redis: " + String(text.prefix(200).map { $0.isASCII && !$0.isNewline ? $0 : "?" })
        switch text.prefix(while: { $0 != " " && $0 != ":" }) {
        // It is not there for now, or not for us: it did nothing.
        case "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "NOREPLICAS", "UNBLOCKED", "NOSCRIPT",
            "NOAUTH", "WRONGPASS", "NOPERM":
            self = .unavailable(reason: reason)
        case "BUSY": self = .busy(reason: reason)
        case "OOM": self = .full(reason: reason)
        case "READONLY": self = .readOnly(reason: reason)
        case "MISCONF": self = .io(reason: reason)
        default: self = .constraint(reason: reason)
        }
    }
}
