import Glibc

/// What libFuzzer calls with each input. Traps, and what `require` refuses, end the process with a report.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// The target that `LATCHKEY_FUZZ` names.
private let chosen: @Sendable ([UInt8]) -> Void = {
    let name = unsafe getenv("LATCHKEY_FUZZ").map { unsafe String(cString: $0) } ?? ""
    guard let target = Targets.all[name] else {
        print("LATCHKEY_FUZZ is \"\(name)\", which it cannot be. Use one of \(Targets.all.keys.sorted()).")
        exit(2)
    }
    return target
}()

/// Ends the process when a promise is broken.
func require(_ isKept: Bool, _ promise: StaticString) {
    guard isKept else { fatalError("\(promise)") }
}
