import HTTPServer
import Identity
import Terminal
import Tokens

// Why the server does not start: one line for the operator, and how the command ends.

extension CommandFailure {
    init(_ message: String, exit: ExitCode = .failed) {
        self.init(exit, message)
    }
}

extension CommandFailure {
    init(_ error: MasterKeyError) {
        switch error {
        case .store(let failure): self.init(failure, opening: "the store")
        case .missing, .unreadable, .readableByOthers, .malformed, .empty, .exists:
            self.init(error.description, exit: .wrongUse)
        case .unknownMasterKey, .wrongMasterKey, .damagedDataKey, .damagedSigningKey, .cryptography, .alreadyNewest,
            .notLost, .nothingSealed, .changedMeanwhile:
            self.init(error.description)
        }
    }

    init(_ error: ServerError) {
        switch error {
        case .cannotListen(let address, let reason):
            self.init(
                "Cannot listen on \(address): \(reason). Stop what listens there, or choose another address with --listen."
            )
        case .cannotUseCertificate(let path, let reason):
            self.init("The certificate \(path) cannot be used: \(reason).", exit: .wrongUse)
        case .cannotUseKey(let path, let reason):
            self.init("The key \(path) cannot be used: \(reason).", exit: .wrongUse)
        case .outOfResources(let reason):
            self.init("The system has no room for another server: \(reason).", exit: .unavailable)
        }
    }

    /// - Parameters:
    ///   - error: what the store says.
    ///   - what: what could not be opened, in words.
    init(_ error: StoreError, opening what: String) {
        switch error {
        case .busy(let reason), .unavailable(let reason), .unknownOutcome(let reason):
            self.init("\(what) does not answer: \(reason). Try again.", exit: .unavailable)
        case .full(let reason), .overQuota(let reason):
            self.init("\(what) has no room: \(reason). Make room on the disk.", exit: .unavailable)
        case .readOnly(let reason):
            self.init("\(what) cannot be written: \(reason). Give this user the right to write there.")
        case .io(let reason), .corrupt(let reason), .constraint(let reason):
            self.init("\(what) cannot be used: \(reason).")
        case .unique(let conflict):
            self.init("\(what) has another \(conflict.rawValue) already.", exit: .conflict)
        }
    }
}
