/// Why nothing was transferred. `reason` is one line for an operator.
public enum TransferError: Error, Hashable, Sendable {
    /// The address is not `https://HOST…`, or libcurl cannot read it.
    case badAddress
    /// No connection, no valid certificate, no answer in time: trying again later may help.
    case unavailable(reason: String)
    /// The other side answered with this HTTP status and not with the document.
    case status(Int)
    /// The document has more bytes than this.
    case tooLarge(limit: Int)
}

extension TransferError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badAddress: "that is no https:// address"
        case .unavailable(let reason): reason
        case .status(let status): "the server answered with status \(status)"
        case .tooLarge(let limit): "the document is larger than \(limit) bytes"
        }
    }
}
