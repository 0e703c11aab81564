internal import Glibc

/// Standard output or standard error, unbuffered.
public struct StandardOutput: TextOutput {
    private let descriptor: Int32

    public init(descriptor: Int32) { self.descriptor = descriptor }

    public var isTerminal: Bool { isatty(descriptor) == 1 }

    public var width: Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    public func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // Who closed the other end does not want the rest.
            if written < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(0, written))
        }
    }
}

/// Standard input, or another descriptor that is read like it.
public struct StandardInput: TextInput {
    private static let limit = 1 << 20
    private let descriptor: Int32

    public init(descriptor: Int32 = 0) { self.descriptor = descriptor }

    public var isTerminal: Bool { isatty(descriptor) == 1 }

    public func readLine() throws(CommandFailure) -> String? {
        var line: [UInt8] = []
        while let byte = nextByte() {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
            guard line.count <= Self.limit else { throw Self.tooLong }
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    public func readAll() throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        // Nothing is left for anybody else, so that as much is read at once as there is.
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= Self.limit else { throw Self.tooLong }
        }
    }

    /// Without echo and line editing, so that ctrl-C can put the terminal right before it ends the command.
    public func readHidden() throws(CommandFailure) -> String? {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return try readLine() }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden)
        defer { unsafe tcsetattr(descriptor, TCSAFLUSH, &before) }
        var line: [UInt8] = []
        while let byte = nextByte() {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return String(decoding: line, as: UTF8.self)
            case 3: throw CommandFailure(.interrupted, "interrupted")
            case 4: return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
            case 8, 127:
                // One character, which is one byte and the continuation bytes behind it.
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            default: line.append(byte)
            }
            guard line.count <= Self.limit else { throw Self.tooLong }
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    private static let tooLong = CommandFailure(.wrongUse, "standard input is longer than 1 MiB.")

    /// Byte by byte: what is not asked for stays for whoever reads next.
    private func nextByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(descriptor, &byte, 1)
            if count == 1 { return byte }
            if count == 0 || errno != EINTR { return nil }
        }
    }
}
