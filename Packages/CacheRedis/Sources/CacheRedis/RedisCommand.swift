import CHiredis

/// A command in the form in which it is sent: RESP, an array of byte strings.
struct RedisCommand: Sendable {
    let bytes: [UInt8]

    /// - Parameter words: the command's name and its arguments, whatever bytes they are.
    init(_ words: [[UInt8]]) {
        var formatted: UnsafeMutablePointer<CChar>?
        // All words in one buffer, so that their addresses hold for the call.
        let joined = Array(words.joined()) + [0]
        let counts = words.map(\.count)
        let count = unsafe joined.withUnsafeBytes { buffer -> Int32 in
            var addresses: [UnsafePointer<CChar>?] = unsafe []
            var start = 0
            for count in counts {
                unsafe addresses.append(buffer.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self))
                start += count
            }
            return unsafe redisFormatCommandArgv(&formatted, Int32(words.count), &addresses, counts)
        }
        defer { unsafe redisFreeCommand(formatted) }
        guard let formatted = unsafe formatted, count > 0 else {
            bytes = []
            return
        }
        bytes = unsafe Array(UnsafeRawBufferPointer(start: formatted, count: Int(count)))
    }

    init(_ words: String...) {
        self.init(words.map { Array($0.utf8) })
    }
}
