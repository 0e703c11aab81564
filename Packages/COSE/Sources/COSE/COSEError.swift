public import CBOR
public import Cryptography

/// What can be wrong with a COSE key or message.
public enum COSEError: Error, Hashable, Sendable {
    /// The bytes are not CBOR.
    case cbor(CBORError)
    /// The item is no map, as a key must be.
    case notAMap
    /// A key's member is missing.
    case missing(COSEKeyMember)
    /// A key's member is of another type than RFC 9053 says.
    case wrongType(COSEKeyMember)
    /// A key's member has a value that is not known here, or that does not go with the key's algorithm.
    case unsupported(COSEKeyMember, value: Int64)
    /// `key_ops` do not let the key verify.
    case mayNotVerify
    /// A private key where a public one is wanted.
    case privateKey
    /// The numbers are no good key.
    case key(CryptographyError)
    /// A message whose structure is wrong; the text names the part.
    case malformedMessage(String)
    /// A message's algorithm is not that of the key, or not in the protected header.
    case algorithmMismatch
    /// A header that must be understood and is not.
    case criticalHeader
    /// The payload is detached and was not given, or is there and was given as well.
    case detachedPayload
    /// The signature is not the key's over this message.
    case invalidSignature
}

/// The members of a `COSE_Key` that are read (RFC 9052 §7.1, RFC 9053 §7, RFC 8230 §4, draft-ietf-cose-dilithium §3).
public enum COSEKeyMember: String, Hashable, Sendable {
    case kty, alg, keyOps = "key_ops", crv, x, y, n, e, pub
}
