internal import CYAML

/// What libyaml reports, with everything copied out of its memory.
enum Event {
    case documentStart, documentEnd, streamEnd
    case alias(String)
    case scalar(text: String, tag: String?, anchor: String?, isPlain: Bool)
    case sequenceStart(tag: String?, anchor: String?)
    case sequenceEnd
    case mappingStart(tag: String?, anchor: String?)
    case mappingEnd
}

/// Reads events from one file. libyaml's parser and the bytes it reads from close with it.
@safe struct EventReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let file: String

    init(_ bytes: ArraySlice<UInt8>, file: String) throws(YAMLError) {
        self.file = file
        unsafe parser = .allocate(capacity: 1)
        unsafe parser.initialize(to: yaml_parser_t())
        unsafe input = .allocate(capacity: bytes.count)
        _ = unsafe input.initialize(from: bytes)
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            throw YAMLError(file: file, position: YAMLPosition(line: 1, column: 1), problem: .syntax("no memory"))
        }
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, UnsafePointer(input.baseAddress), input.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// The next event and where it begins. After `streamEnd` there is none.
    mutating func next() throws(YAMLError) -> (event: Event, position: YAMLPosition) {
        var raw = unsafe yaml_event_t()
        while true {
            guard unsafe yaml_parser_parse(parser, &raw) == 1 else { throw failure() }
            defer { unsafe yaml_event_delete(&raw) }
            if let event = unsafe Self.copy(raw) {
                return (event, unsafe Self.position(raw.start_mark))
            }
        }
    }

    private static func copy(_ raw: yaml_event_t) -> Event? {
        switch unsafe raw.type {
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .streamEnd
        case YAML_ALIAS_EVENT: return .alias(unsafe text(raw.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = unsafe raw.data.scalar
            let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return unsafe .scalar(
                text: String(decoding: bytes, as: UTF8.self),
                tag: text(scalar.tag),
                anchor: text(scalar.anchor),
                isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE
            )
        case YAML_SEQUENCE_START_EVENT:
            let start = unsafe raw.data.sequence_start
            return unsafe .sequenceStart(tag: text(start.tag), anchor: text(start.anchor))
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            let start = unsafe raw.data.mapping_start
            return unsafe .mappingStart(tag: text(start.tag), anchor: text(start.anchor))
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        default: return nil
        }
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    private static func position(_ mark: yaml_mark_t) -> YAMLPosition {
        YAMLPosition(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
    }

    private func failure() -> YAMLError {
        let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "unreadable"
        let context = unsafe parser.pointee.context.map { unsafe String(cString: $0) }
        // The reader's own errors (a control character) carry no mark but the parser's.
        let hasMark = unsafe parser.pointee.error != YAML_READER_ERROR
        let mark = unsafe hasMark ? parser.pointee.problem_mark : parser.pointee.mark
        return YAMLError(
            file: file,
            position: Self.position(mark),
            problem: .syntax(context.map { "\($0), \(problem)" } ?? problem)
        )
    }
}
