import Encodings
import Identity
import Settings
import Synchronization
import Terminal

/// The server's log: a line an event on the error output, as text for a terminal or as JSON.
final class Log: Sendable {
    private struct State {
        var format: LogFormat
        var level: LogLevel
    }

    private let state: Mutex<State>
    private let clock: @Sendable () -> UnixTime
    let output: any TextOutput

    init(format: LogFormat, level: LogLevel, output: any TextOutput, clock: @escaping @Sendable () -> UnixTime) {
        state = Mutex(State(format: format, level: level))
        self.clock = clock
        self.output = output
    }

    func set(level: LogLevel) {
        state.withLock { $0.level = level }
    }

    func isOn(_ level: LogLevel) -> Bool {
        state.withLock { level >= $0.level }
    }

    /// Writes one line, when `level` is on.
    ///
    /// - Parameters:
    ///   - level: how much it matters.
    ///   - message: one sentence; control characters are escaped.
    ///   - fields: named values beside it, in order.
    func write(_ level: LogLevel, _ message: String, _ fields: KeyValuePairs<String, JSONValue> = [:]) {
        let format = state.withLock { level >= $0.level ? $0.format : nil }
        guard let format else { return }
        var line: [UInt8]
        switch format {
        case .json: line = json(level, message, fields)
        case .text: line = text(level, message, fields)
        }
        line.append(UInt8(ascii: "\n"))
        output.write(String(decoding: line, as: UTF8.self))
    }

    private func json(_ level: LogLevel, _ message: String, _ fields: KeyValuePairs<String, JSONValue>) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.name("level")
        json.string(level.rawValue)
        json.name("message")
        json.string(message)
        for (name, value) in fields {
            json.name(name)
            json.value(value)
        }
        json.name("time")
        json.string(clock().rfc3339)
        json.endObject()
        return json.bytes
    }

    private func text(_ level: LogLevel, _ message: String, _ fields: KeyValuePairs<String, JSONValue>) -> [UInt8] {
        var line = level == .info ? "" : level.rawValue + ": "
        line += message
        for (name, value) in fields {
            line += " \(name)=" + (value.string ?? String(decoding: value.serialized(), as: UTF8.self))
        }
        // What came from outside cannot begin a line of its own.
        return line.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
    }
}
