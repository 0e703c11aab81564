import COSE
import Cryptography
import Encodings
import Glibc
import SoftwareAuthenticator
import Terminal

/// The file that `authenticator` keeps its keys in.
enum AuthenticatorFile {
    /// As much as is read again.
    private static let limit = 1 << 16

    /// Changes the authenticator in the file, while no other command does: each counter and each credential is kept.
    ///
    /// - Returns: what `change` gives, once the file is written.
    static func change<Value>(
        _ path: String,
        _ change: (inout StoredAuthenticator) throws -> Value
    ) throws -> Value {
        try FileChange.alone(path) {
            var stored = try read(path)
            let value = try change(&stored)
            try save(stored, to: path)
            return value
        }
    }

    static func read(_ path: String) throws(CommandFailure) -> StoredAuthenticator {
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
            throw CommandFailure(
                .wrongUse,
                "\(printable(path)) holds private keys, and others may read it. Take their rights away with: "
                    + "chmod 600 \(printable(path))"
            )
        }
        guard let object = (try? JSON.parse(try readSecretFile(path)))?.object else {
            // Whether it cannot be read, or is no JSON.
            _ = try readSecretFile(path)
            throw CommandFailure(.wrongUse, "\(path) is no authenticator's file: it holds no JSON object.")
        }
        do throws(StoredAuthenticatorError) {
            return try StoredAuthenticator(document: object)
        } catch {
            throw CommandFailure(.wrongUse, "\(path) is no authenticator's file: look at its \(error.member).")
        }
    }

    static func save(_ stored: StoredAuthenticator, to path: String) throws(CommandFailure) {
        let document: JSONObject
        do throws(StoredAuthenticatorError) {
            document = try stored.document
        } catch {
            throw CommandFailure(.failed, "the key cannot be kept in a file. Nothing was changed.")
        }
        let bytes = JSONValue.object(document).serialized(pretty: true)
        guard bytes.count < limit else {
            throw CommandFailure(.failed, "\(path) would be larger than 64 KiB: make another. Nothing was changed.")
        }
        try PrivateFile.write(path, String(decoding: bytes, as: UTF8.self) + "\n")
    }
}

/// How a credential is attested, as `--attest` says it.
enum AttestationChoice: String, CaseIterable {
    case none, packed, tpm, apple, compound
    case packedSelf = "packed-self"
    case fidoU2F = "fido-u2f"
    case androidKey = "android-key"
    case androidSafetyNet = "android-safetynet"

    func attestation(
        _ authority: AttestationAuthority,
        tpmAlgorithm: COSEAlgorithm,
        now: Int64
    ) throws(CommandFailure) -> AuthenticatorProfile.Attestation {
        do throws(CryptographyError) {
            switch self {
            case .none: return .none
            case .packedSelf: return .packedSelf
            case .packed: return .packed(authority)
            case .fidoU2F: return .fidoU2F(authority)
            case .tpm: return .tpm(authority, try SoftwareTPM(algorithm: tpmAlgorithm))
            case .androidKey: return .androidKey(authority, enforcedBy: .hardware)
            case .androidSafetyNet: return .androidSafetyNet(authority, try SafetyNetService(answeringAt: now))
            case .apple: return .apple(authority)
            case .compound: return .compound([.packed(authority), .androidKey(authority, enforcedBy: .hardware)])
            }
        } catch {
            throw CommandFailure(.wrongUse, "no such attestation can be made: \(error).")
        }
    }
}
