import Cryptography
import Encodings
import Settings
import Terminal
import WebAuthn

/// What a metadata BLOB is verified with: all of it read before the store is opened.
struct MetadataSources {
    let blob: [UInt8]
    let roots: [Certificate]
    /// What the BLOB says is to be got elsewhere; empty where it comes with its certificates.
    let certificates: [Certificate]
    let lists: [CertificateRevocationList]

    /// The real one has some 10 MB.
    private static let largestBLOB = 64 << 20
    private static let largestFile = 16 << 20

    /// Reads the BLOB from `file`, or gets it where the configuration says, and the roots and revocation lists that the
    /// configuration names.
    init(
        file: String?,
        _ settings: Settings,
        _ console: Console,
        _ invocation: Invocation,
        _ tools: AdminTools
    ) async throws(CommandFailure) {
        guard let rootsFile = invocation.value("roots") ?? settings.metadataRoots.value else {
            throw CommandFailure(
                .wrongUse,
                "there is no root to verify the metadata with. Set mds.roots to a PEM file, or name one with --roots."
            )
        }
        roots = try Self.roots(rootsFile)
        lists = try Self.lists(invocation.value("crls") ?? settings.metadataCRLs.value, console, invocation)
        if let file {
            blob = try ReadableFile.read(file, limit: Self.largestBLOB)
            certificates = []
        } else if let url = settings.metadataURL.value {
            console.progress("Getting \(url.text)")
            blob = try await tools.download(url.text)
            certificates = try await Self.certificates(of: blob, from: url.text, console, tools)
        } else {
            throw CommandFailure(.wrongUse, "FILE is missing: the configuration names no mds.url to get it from.")
        }
    }

    /// The certificates that the BLOB's header names, when they are at its own origin (MDS3 §3.2 step 4).
    private static func certificates(
        of blob: [UInt8],
        from address: String,
        _ console: Console,
        _ tools: AdminTools
    ) async throws(CommandFailure) -> [Certificate] {
        guard let place = MetadataBLOB.certificateAddress(of: blob[...]) else { return [] }
        guard let origin = origin(of: place), origin == self.origin(of: address) else {
            throw CommandFailure(
                .answerIsNo,
                "the metadata is refused: its certificates are to be got from \(quoted(place)), which is another "
                    + "origin than its own."
            )
        }
        console.progress("Getting \(quoted(place))")
        let text = String(decoding: try await tools.download(place), as: UTF8.self)
        guard let certificates = try? Certificate.list(pem: text), !certificates.isEmpty else {
            throw CommandFailure(
                .answerIsNo,
                "the metadata is refused: at \(quoted(place)) are no certificates in PEM."
            )
        }
        return certificates
    }

    /// The bytes of `https://host:port` of an address, without the port 443; `nil` for another scheme, or one with a user.
    private static func origin(of address: String) -> [UInt8]? {
        let text = address.lowercased()
        guard text.hasPrefix("https://") else { return nil }
        let authority = text.dropFirst(8).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, !authority.contains("@"), !authority.contains("\\") else { return nil }
        return Array((authority.hasSuffix(":443") ? authority.dropLast(4) : authority).utf8)
    }

    private static func roots(_ file: String) throws(CommandFailure) -> [Certificate] {
        let text = String(decoding: try ReadableFile.read(file, limit: largestFile), as: UTF8.self)
        let roots: [Certificate]
        do throws(CryptographyError) {
            roots = try Certificate.list(pem: text)
        } catch {
            throw CommandFailure(.wrongUse, "\(quoted(file)) is no PEM file of certificates: \(error).")
        }
        guard !roots.isEmpty else { throw CommandFailure(.wrongUse, "\(quoted(file)) has no certificate in PEM.") }
        return roots
    }

    /// Lists in DER or PEM; what is neither is told and left out.
    private static func lists(
        _ folder: String?,
        _ console: Console,
        _ invocation: Invocation
    ) throws(CommandFailure) -> [CertificateRevocationList] {
        guard let folder else { return [] }
        var lists: [CertificateRevocationList] = []
        for path in try ReadableFile.list(folder) {
            let bytes = try ReadableFile.read(path, limit: largestFile)
            let blocks = (try? PEM.decode(String(decoding: bytes, as: UTF8.self))) ?? []
            let ders = blocks.isEmpty ? [bytes] : blocks.filter { $0.label == "X509 CRL" }.map(\.der)
            let read = ders.compactMap { try? CertificateRevocationList(der: $0[...]) }
            if read.count < max(1, ders.count) {
                console.warn(invocation.program, "\(quoted(path)) is no revocation list in DER or PEM and is left out.")
            }
            lists += read
        }
        return lists
    }
}
