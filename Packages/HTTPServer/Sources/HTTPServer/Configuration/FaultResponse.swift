public import HTTPWire

/// Makes the answer for a request that its handler does not answer.
///
/// The head is `nil` when the fault lies in it. What the fault itself demands (`Retry-After`, `Connection: close`) is
/// added by the server.
public typealias FaultResponse = @Sendable (_ fault: HTTPFault, _ head: HTTPRequestHead?) -> HTTPResponse

/// The plain answer: the status in words, as text.
public let plainFaultResponse: FaultResponse = { fault, _ in
    HTTPResponse(
        status: fault.status,
        headers: ["Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"],
        body: Array("\(fault.status) \(HTTPResponse.reason(for: fault.status))\n".utf8)
    )
}
