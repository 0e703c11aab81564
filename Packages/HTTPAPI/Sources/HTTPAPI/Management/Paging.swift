import Encodings
import HTTPServer
import Identity

/// Which part of a list is asked for (contract 11.3).
enum Paging: Sendable {
    case offset(page: Int, perPage: Int, totals: Bool)
    /// From after `from`, which is what the last answer's `next` said.
    case checkpoint(from: String?, take: Int)

    /// The two ways of paging.
    enum Mode { case offset, checkpoint }

    /// Reads the query; where both are offered, `from` and `take` win.
    init(_ query: inout ManagementQuery, _ modes: [Mode]) throws(APIError) {
        if modes.contains(.checkpoint) {
            let from = query.text("from")
            let take = try query.integer("take", 1...100)
            let hasOffset = modes.contains(.offset)
            if from != nil || take != nil || !hasOffset {
                // Beside them these mean nothing, and are no mistake.
                _ = query.text("include_totals")
                if hasOffset { for name in ["page", "per_page"] { _ = query.text(name) } }
                self = .checkpoint(from: from, take: take ?? 50)
                return
            }
        }
        self = .offset(
            page: try query.integer("page", 0...1_000_000) ?? 0,
            perPage: try query.integer("per_page", 1...100) ?? 50,
            totals: try query.bool("include_totals") ?? false
        )
    }
}

/// What a list that is configured is paged by: the time of making, then the id.
struct PagePlace: Comparable {
    let createdAt: UnixTime
    let id: String

    static func < (one: PagePlace, other: PagePlace) -> Bool {
        if one.createdAt != other.createdAt { return one.createdAt < other.createdAt }
        return one.id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }

    static func == (one: PagePlace, other: PagePlace) -> Bool {
        one.createdAt == other.createdAt && one.id.utf8.elementsEqual(other.id.utf8)
    }

    init(createdAt: UnixTime, id: String) {
        self.createdAt = createdAt
        self.id = id
    }

    /// Reads a `next`.
    init(_ text: String) throws(APIError) {
        guard text.utf8.count <= 400, let bytes = try? Base64URL.decode(text), bytes.count > 8,
            let id = String(validating: bytes.dropFirst(8), as: UTF8.self)
        else { throw .invalidPaging }
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(createdAt: UnixTime(milliseconds: Int64(bitPattern: number)), id: id)
    }

    /// The opaque text of a `next`.
    var text: String {
        let number = UInt64(bitPattern: createdAt.milliseconds)
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        return Base64URL.encode(bytes + Array(id.utf8))
    }
}

extension ManagementCall {
    /// A page of a list that the configuration holds whole.
    ///
    /// - Parameters:
    ///   - items: all that match, in any order.
    ///   - name: the member that the list is called in an object.
    ///   - modes: the ways of paging that the list has.
    ///   - place: where an item stands in the order.
    ///   - document: an item as JSON.
    /// - Returns: the answer.
    /// - Throws: `invalid_query_string` or `invalid_paging`.
    mutating func page<Item>(
        _ items: [Item],
        _ name: String,
        _ modes: Paging.Mode...,
        place: (Item) -> PagePlace,
        document: (Item) -> JSONObject
    ) throws(APIError) -> HTTPResponse {
        let paging = try Paging(&query, modes)
        let fields = try fields()
        let sorted = items.map { (place($0), $0) }.sorted { $0.0 < $1.0 }
        func list(_ part: ArraySlice<(PagePlace, Item)>) -> JSONValue {
            .array(part.map { .object(fields.selected(from: document($0.1))) })
        }
        switch paging {
        case .offset(let page, let perPage, let totals):
            let start = page * perPage
            let part = list(sorted.dropFirst(start).prefix(perPage))
            guard totals else { return .json { $0.value(part) } }
            return .json {
                $0.value([
                    "start": .integer(Int64(start)), "limit": .integer(Int64(perPage)),
                    "total": .integer(Int64(sorted.count)), name: part,
                ])
            }
        case .checkpoint(let from, let take):
            var rest = sorted[...]
            if let from {
                let last = try PagePlace(from)
                rest = rest.drop { $0.0 <= last }
            }
            let part = rest.prefix(take)
            var answer = JSONObject()
            answer.set(name, list(part))
            if part.count < rest.count, let last = part.last { answer.set("next", .string(last.0.text)) }
            return .json { $0.value(.object(answer)) }
        }
    }
}
