import Glibc
import Terminal
import Testing

@Suite("The process's own streams")
struct StreamTests {
    /// Both ends of a new pseudo-terminal: what a person types on, and what the command reads.
    private func terminal() throws -> (person: Int32, command: Int32) {
        // The overlay has neither openpty nor its parts: TIOCSPTLCK unlocks, TIOCGPTN tells the number.
        let person = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var unlocked: Int32 = 0
        var number: Int32 = 0
        try #require(unsafe person >= 0 && ioctl(person, 0x4004_5431, &unlocked) == 0)
        try #require(unsafe ioctl(person, 0x8004_5430, &number) == 0)
        let command = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(command >= 0)
        return (person, command)
    }

    private func type(_ text: String, on descriptor: Int32) { StandardOutput(descriptor: descriptor).write(text) }

    /// Reads hidden text on a thread of its own once the terminal no longer shows what is typed, then types.
    private func hiddenRead(of typed: String) throws -> (
        result: Result<String?, CommandFailure>, shown: String, echoes: Bool
    ) {
        let (person, command) = try terminal()
        defer {
            close(person)
            close(command)
        }
        let input = StandardInput(descriptor: command)
        #expect(input.isTerminal)
        let typist = Typist(person: person, command: command, text: typed)
        try #require(typist.start())
        let result = Result { () throws(CommandFailure) in try input.readHidden() }
        typist.join()
        var after = termios()
        #expect(unsafe tcgetattr(command, &after) == 0)
        let echoes = after.c_lflag & tcflag_t(ECHO) != 0 && after.c_lflag & tcflag_t(ISIG) != 0
        var buffer = [UInt8](repeating: 0, count: 256)
        _ = fcntl(person, F_SETFL, O_NONBLOCK)
        let count = unsafe read(person, &buffer, buffer.count)
        return (result, String(decoding: buffer.prefix(max(0, count)), as: UTF8.self), echoes)
    }

    @Test(
        "Hidden text is not shown, can be corrected, and the terminal is as before",
        arguments: [
            ("s3cret\n", "s3cret"), ("s3crex\u{7f}t\r", "s3cret"), ("x\u{fc}\u{7f}\u{8}\u{7f}ok\n", "ok"),
            ("half\u{4}", "half"),
        ]
    )
    func hidden(typed: String, read: String) throws {
        let (result, shown, echoes) = try hiddenRead(of: typed)
        #expect(result == .success(read))
        #expect(shown == "")
        #expect(echoes)
    }

    @Test("Ctrl-C ends the question and leaves the terminal as before, ctrl-D is no answer")
    func controls() throws {
        let interrupted = try hiddenRead(of: "abc\u{3}")
        #expect(interrupted.result == .failure(CommandFailure(.interrupted, "interrupted")))
        #expect(interrupted.echoes)
        #expect(try hiddenRead(of: "\u{4}").result == .success(nil))
    }

    @Test("Lines are read one at a time, the rest stays")
    func lines() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        type("one\ntwo\nthree", on: ends[1])
        close(ends[1])
        let input = StandardInput(descriptor: ends[0])
        #expect(!input.isTerminal)
        #expect(try input.readLine() == "one")
        #expect(try String(decoding: input.readAll(), as: UTF8.self) == "two\nthree")
        #expect(try input.readLine() == nil)
        close(ends[0])
    }

    @Test("A terminal says how wide it is, a pipe does not")
    func width() throws {
        let (person, command) = try terminal()
        var size = winsize(ws_row: 24, ws_col: 77, ws_xpixel: 0, ws_ypixel: 0)
        #expect(unsafe ioctl(command, UInt(TIOCSWINSZ), &size) == 0)
        #expect(StandardOutput(descriptor: command).width == 77)
        #expect(StandardOutput(descriptor: command).isTerminal)
        close(person)
        close(command)
        #expect(StandardOutput(descriptor: -1).width == nil)
        #expect(!StandardOutput(descriptor: -1).isTerminal)
    }
}

/// Types on a pseudo-terminal as soon as it no longer shows what is typed, on a thread of its own.
private final class Typist: Sendable {
    private let person: Int32
    private let command: Int32
    private let text: String
    /// Set before the thread runs and read after it ended.
    nonisolated(unsafe) private var thread = pthread_t()

    init(person: Int32, command: Int32, text: String) {
        self.person = person
        self.command = command
        self.text = text
    }

    func start() -> Bool {
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        return unsafe pthread_create(&thread, nil, typeWhenHidden, context) == 0
    }

    func join() { _ = unsafe pthread_join(thread, nil) }

    fileprivate func run() {
        var state = termios()
        for _ in 0..<2000 {
            guard unsafe tcgetattr(command, &state) == 0 else { return }
            if state.c_lflag & tcflag_t(ECHO) == 0 { break }
            usleep(5000)
        }
        StandardOutput(descriptor: person).write(text)
    }
}

private func typeWhenHidden(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context { unsafe Unmanaged<Typist>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
