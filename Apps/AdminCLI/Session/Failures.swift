import Identity
import Settings
import Storage
import Tenancy
import Terminal
import Tokens

/// Every error of the packages as a message and an exit code: the one place where they meet.
extension CommandFailure {
    init(_ error: TenancyError) {
        switch error {
        case .document, .invalid, .notBuilt, .conflict: self.init(.wrongUse, "\(error)")
        case .notFound: self.init(.notFound, "\(error)")
        case .exists, .inUse, .changedMeanwhile: self.init(.conflict, "\(error)")
        case .store(let error): self.init(error)
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .busy(let reason), .unavailable(let reason), .overQuota(let reason):
            self.init(.unavailable, "the store does not answer: \(reason). Nothing was changed; try again.")
        case .unknownOutcome(let reason):
            self.init(.unavailable, "the store's answer was lost: \(reason). Look whether it was done, then try again.")
        case .full(let reason): self.init(.failed, "the store is full: \(reason). Nothing was changed.")
        case .readOnly(let reason): self.init(.failed, "the store cannot be written: \(reason). Nothing was changed.")
        case .io(let reason): self.init(.failed, "the store cannot be read or written: \(reason).")
        case .corrupt(let reason): self.init(.failed, "the store is damaged: \(reason). Restore a backup.")
        case .constraint(let reason): self.init(.failed, "the store refused it: \(reason). Nothing was changed.")
        case .unique(let conflict): self.init(.conflict, "\(conflict.rawValue) is taken already. Nothing was changed.")
        }
    }

    init(_ error: MasterKeyError) {
        switch error {
        case .exists, .alreadyNewest, .notLost, .changedMeanwhile: self.init(.conflict, "\(error)")
        case .store(let error): self.init(error)
        case .cryptography, .damagedDataKey, .damagedSigningKey, .nothingSealed: self.init(.failed, "\(error)")
        case .missing, .unreadable, .readableByOthers, .malformed, .empty, .unknownMasterKey, .wrongMasterKey:
            self.init(.wrongUse, "\(error)")
        }
    }

    init(_ error: StorageError) {
        switch error {
        case .unknownScheme, .noFile, .redisLocation, .redis, .storeKeepsNoChallenges, .notEmbedded, .notCopied:
            self.init(.wrongUse, "\(error)")
        case .sqlite, .postgres, .backup, .copy:
            if error.isMissing {
                self.init(.notFound, "\(error)")
            } else if error.isConflict {
                self.init(.conflict, "\(error)")
            } else {
                self.init(error.isTemporary ? .unavailable : .failed, "\(error)")
            }
        }
    }

    init(_ error: KeyRotationError) {
        switch error {
        case .unknownKey: self.init(.notFound, "\(error)")
        case .tooYoung, .changedMeanwhile, .noNextKey: self.init(.conflict, "\(error)")
        case .store(let error): self.init(error)
        case .keys, .busy: self.init(.failed, "\(error)")
        }
    }

    /// Whatever a command may throw.
    init(any error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as TenancyError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as StorageError: self.init(error)
        case let error as MasterKeyError: self.init(error)
        case let error as KeyRotationError: self.init(error)
        case let error as SettingsError: self.init(.wrongUse, "\(error)")
        case let error as TokenError:
            if case .store(let error) = error {
                self.init(error)
            } else {
                self.init(.failed, "the signing keys cannot be made: \(error)")
            }
        default: self.init(.failed, "\(error)")
        }
    }
}
