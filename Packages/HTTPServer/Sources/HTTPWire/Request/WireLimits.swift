/// How long the parts of a request may be, in bytes.
public struct WireLimits: Hashable, Sendable {
    /// Request line and fields together, with the empty line. At most 65,535.
    public var head: Int
    /// How many fields.
    public var fields: Int
    /// The request target.
    public var target: Int
    /// All trailer fields together.
    public var trailer: Int
    /// One line that announces a chunk, with its extensions.
    public var chunkLine: Int

    public init(
        head: Int = 16 << 10,
        fields: Int = 100,
        target: Int = 8 << 10,
        trailer: Int = 4 << 10,
        chunkLine: Int = 512
    ) {
        self.head = min(max(head, 64), 65_535)
        self.fields = fields
        self.target = target
        self.trailer = trailer
        self.chunkLine = chunkLine
    }

    /// How long a request line may be before its end was seen: target, the longest method taken, version, spaces.
    var requestLine: Int { target + HTTPRequestHead.longestMethod + 12 }
}
