internal import COSE
internal import Cryptography

/// The form that TPMs write signatures in: a `TPMT_SIGNATURE` (TPM 2.0 Part 2 §11.3.4).
///
/// §8.3 says that `sig` has it, while clients send the signature alone, in the form that other formats have.
enum TPMSignature {
    /// The signature alone; `nil` when the bytes are no such structure for this algorithm.
    static func unwrapped(_ bytes: [UInt8], by algorithm: COSEAlgorithm, _ hash: TPMHash) -> [UInt8]? {
        var reader = TPMReader(bytes, "sig")
        do throws(AttestationFault) {
            let scheme = try reader.uint16()
            guard try reader.uint16() == hash.rawValue else { return nil }
            switch (scheme, algorithm.signatureAlgorithm) {
            case (0x0014, .rs1), (0x0014, .rs256), (0x0014, .rs384), (0x0014, .rs512),  // TPM_ALG_RSASSA
                (0x0016, .ps256), (0x0016, .ps384), (0x0016, .ps512):  // TPM_ALG_RSAPSS
                let signature = try reader.buffer()
                try reader.finish()
                return Array(signature)
            case (0x0018, .es256), (0x0018, .es384), (0x0018, .es512):  // TPM_ALG_ECDSA
                let (r, s) = (try reader.buffer(), try reader.buffer())
                try reader.finish()
                var writer = DERWriter()
                writer.sequence { numbers in
                    numbers.unsignedInteger(r)
                    numbers.unsignedInteger(s)
                }
                return writer.bytes
            default: return nil
            }
        } catch {
            return nil
        }
    }
}
