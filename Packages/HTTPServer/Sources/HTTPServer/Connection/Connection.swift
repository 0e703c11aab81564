import CLinux
import HTTPWire

/// One accepted connection. It lives and dies on one loop.
final class Connection: @unchecked Sendable {
    // Sendable: a request's task holds it too, but only hands it back to its loop; everything in it is read and written
    // on that loop's thread alone. So it needs no lock, and what comes back for a closed one finds it closed.

    enum Phase {
        case handshake
        /// No byte of a request is there.
        case idle
        /// Head or body are coming.
        case receiving
        /// The handler has it. The socket is not read.
        case handling
        /// The answer is going out. The socket is not read.
        case writing
        /// The last answer is out; what still comes is dropped.
        case lingering
        case closed
    }

    /// An answer, or what is left of it.
    struct Outgoing {
        var head: [UInt8] = []
        var body: [UInt8] = []
        /// How much of the two, one after the other, is out.
        var sent = 0
        /// How much was out when the deadline was last set.
        var mark = 0

        var count: Int { head.count + body.count }
    }

    let descriptor: Int32
    let peer: PeerAddress
    let listener: Listener
    /// The loop's slot, and which of its users this is; with them an event finds it.
    let slot: Int
    let generation: UInt32
    var tls: TLSSession?
    var phase: Phase
    var parser: RequestParser

    /// The tick at which the phase is over.
    var deadline = Int64.max
    /// The earliest entry that the wheel has for it.
    var scheduled = Int64.max

    /// The request that is being received, handled or answered.
    var head: HTTPRequestHead?
    var limits = RequestLimits()
    /// When its first byte came, in ticks.
    var requestStart: Int64 = 0
    /// Counts requests, so that an answer finds its own.
    var requestNumber = 0
    var task: Task<Void, Never>?

    /// What came with a request and belongs to the next ones.
    var parked: [UInt8] = []
    var parkedOffset = 0
    var outgoing = Outgoing()
    var closesAfterAnswer = false
    /// The client waits to hear that it may send the body.
    var owesContinue = false
    /// An event said that there is something to read, and it was not read.
    var isReadable = false
    /// The other side sends nothing more.
    var sawEnd = false
    /// epoll reports when it can be written.
    var watchesWrites = false
    /// It is on the loop's list of those to go on with.
    var isQueued = false

    init(
        descriptor: Int32,
        peer: PeerAddress,
        listener: Listener,
        slot: Int,
        generation: UInt32,
        tls: TLSSession?,
        parser: RequestParser
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.listener = listener
        self.slot = slot
        self.generation = generation
        self.tls = tls
        self.parser = parser
        phase = tls == nil ? .idle : .handshake
    }

    /// Whether it has not brought a request yet.
    var isFresh: Bool { requestNumber == 0 }

    func read(into buffer: inout [UInt8]) -> Transfer {
        if let tls { return tls.read(into: &buffer) }
        return Transfer(received: unsafe latchkey_receive(descriptor, &buffer, buffer.count))
    }

    /// Reads below TLS, to drop what comes.
    func readRaw(into buffer: inout [UInt8]) -> Transfer {
        Transfer(received: unsafe latchkey_receive(descriptor, &buffer, buffer.count))
    }

    /// Sends `bytes` from `offset` on, as far as the socket takes them.
    func write(_ bytes: [UInt8], from offset: Int, atMost limit: Int) -> Transfer {
        if let tls { return tls.write(bytes, from: offset, atMost: limit) }
        let count = min(bytes.count - offset, limit)
        guard count > 0 else { return .bytes(0) }
        return unsafe bytes.withUnsafeBytes { bytes in
            Transfer(sent: unsafe latchkey_send(descriptor, bytes.baseAddress.map { unsafe $0 + offset }, count))
        }
    }
}

extension Transfer {
    init(received count: Int) {
        switch count {
        case 1...: self = .bytes(count)
        case 0: self = .end
        case -Int(EAGAIN), -Int(EINTR): self = .later
        default: self = .failed
        }
    }

    init(sent count: Int) {
        switch count {
        case 0...: self = .bytes(count)
        case -Int(EAGAIN), -Int(EINTR), -Int(ENOBUFS): self = .later
        default: self = .failed
        }
    }
}
