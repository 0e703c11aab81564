import Encodings
import Terminal
import WebAuthn

/// `vectors`: JSON lines on standard input and output.
enum VectorsCommand {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "vectors",
            "run test vectors against the verifiers: a JSON object a line in, one a line out",
            group: AdminProgram.Group.test,
            flags: [Flag("capabilities", "print what the verifiers can do, and read nothing"), .output()],
            examples: [
                "latchkey-admin vectors < cases.jsonl > answers.jsonl", "latchkey-admin vectors --capabilities",
            ]
        ) { invocation, console in
            let runner = VectorRunner()
            if invocation.isSet("capabilities") {
                printCapabilities(runner, invocation, console)
                return .done
            }
            var lines = LineSplitter(limit: VectorRunner.maximumLineLength + 1)
            while true {
                let bytes = tools.readInput()
                if bytes.isEmpty { break }
                for line in lines.add(bytes) { answer(line, runner, console) }
            }
            if let line = lines.end() { answer(line, runner, console) }
            return .done
        }
    }

    private static func answer(_ line: [UInt8], _ runner: VectorRunner, _ console: Console) {
        console.answer(String(decoding: runner.answer(line: line[...]), as: UTF8.self))
    }

    private static func printCapabilities(_ runner: VectorRunner, _ invocation: Invocation, _ console: Console) {
        let hello = runner.answer(line: Array(#"{"id":"hello","op":"hello"}"#.utf8)[...])
        guard let object = (try? JSON.parse(hello))?.object else { return }
        guard invocation.format == .table else {
            console.answer(Details(object), as: invocation.format)
            return
        }
        for capability in object["capabilities"]?.array ?? [] {
            if let text = capability.string { console.answer(text) }
        }
    }
}

/// Cuts what comes in pieces into lines, without their line feeds. Of a longer line than `limit` bytes only the
/// beginning is kept, so that it can be answered at all.
struct LineSplitter {
    let limit: Int
    private var line: [UInt8] = []
    private var hasLine = false

    init(limit: Int) {
        self.limit = limit
    }

    /// The lines that are whole now.
    mutating func add(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(rest[..<end])
            lines.append(line)
            line.removeAll(keepingCapacity: true)
            hasLine = false
            rest = rest[(end + 1)...]
        }
        keep(rest)
        return lines
    }

    /// The last line, when it has no line feed.
    mutating func end() -> [UInt8]? {
        guard hasLine else { return nil }
        hasLine = false
        return line
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        if !bytes.isEmpty { hasLine = true }
        line.append(contentsOf: bytes.prefix(max(0, limit - line.count)))
    }
}
