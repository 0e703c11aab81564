import Encodings

extension PasswordOptions {
    /// Takes the members about passwords out of a connection's `options` (HTTP contract 11.5).
    init(_ reader: inout DocumentReader) throws(DocumentError) {
        self.init()
        strength = try reader.word("passwordPolicy", PasswordStrength.self) ?? strength
        if var history = try reader.object("password_history") {
            remembersHistory = try history.bool("enable") ?? remembersHistory
            historySize = Int(try history.integer("size", 1...24) ?? Int64(historySize))
            try history.end()
        }
        if var words = try reader.object("password_dictionary") {
            usesDictionary = try words.bool("enable") ?? usesDictionary
            dictionary = try words.texts("dictionary", .plain(1...50), atMost: 200) ?? dictionary
            try words.end()
        }
        if var personal = try reader.object("password_no_personal_info") {
            refusesPersonalInfo = try personal.bool("enable") ?? refusesPersonalInfo
            try personal.end()
        }
        if var complexity = try reader.object("password_complexity_options") {
            // What the strength asks for anyway was not asked for by this.
            configuredMinimumLength = try complexity.integer("min_length", 1...128).map { Int($0) }
                .flatMap { $0 > strength.minimumLength ? $0 : nil }
            try complexity.end()
        }
    }

    /// Writes them, defaults too.
    func write(to document: inout JSONObject) {
        document.set("passwordPolicy", .string(strength.rawValue))
        document.set(
            "password_history",
            ["enable": .bool(remembersHistory), "size": .integer(Int64(historySize))]
        )
        document.set(
            "password_dictionary",
            ["enable": .bool(usesDictionary), "dictionary": .array(dictionary.map { .string($0) })]
        )
        document.set("password_no_personal_info", ["enable": .bool(refusesPersonalInfo)])
        document.set("password_complexity_options", ["min_length": .integer(Int64(minimumLength))])
    }
}
