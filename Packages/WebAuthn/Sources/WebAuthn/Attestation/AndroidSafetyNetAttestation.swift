internal import CBOR
internal import COSE
internal import Cryptography
internal import Encodings
internal import JOSE

/// Format `android-safetynet` (WebAuthn L3 §8.5): Google's service vouched for the device. It has been retired, and
/// policy must name the format for it to be allowed.
struct AndroidSafetyNetAttestation: AttestationFormat {
    static let name = "android-safetynet"
    let identifier = Self.name

    /// The service that answers, as its certificate names it.
    private static let host = "attest.android.com"
    /// How old an answer may be, in milliseconds.
    private static let maximumAge: Int64 = 60_000

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        guard let version = attested.members["ver"]?.text, !version.isEmpty else {
            throw AttestationFault("ver is missing, empty or no text")
        }
        let response = try attested.members.requiredBytes("response")
        // 2 and 4. The service signed the response, and its certificate has the service's name.
        let (payload, path) = try Self.open(response)
        // 3. It answered for this authenticator data and this client data.
        try Self.checkNonce(payload, attested)
        // What else the service's documentation has to be looked at: the verdict, and that it is a new one.
        try Self.checkProfile(payload)
        guard let timestamp = payload["timestampMs"]?.integer else {
            throw AttestationFault("timestampMs is missing or no integer")
        }
        let (now, overflows) = attested.time.multipliedReportingOverflow(by: 1000)
        // `time` is in whole seconds, so an answer of the same second is none of the future.
        guard !overflows, timestamp < now.addingClamped(1000) else {
            throw AttestationFault("timestampMs lies in the future")
        }
        guard timestamp >= now.addingClamped(-Self.maximumAge) else {
            throw AttestationFault("timestampMs is more than a minute old")
        }
        return AttestationOutcome(format: identifier, type: .basic, trustPath: path)
    }

    static func checkNonce(_ payload: JSONObject, _ attested: Attested) throws(AttestationFault) {
        guard let nonce = payload["nonce"]?.string,
            nonce.hasSameBytes(as: Base64.encode(SHA256.hash(attested.signedBytes)))
        else {
            throw AttestationFault("nonce is not the hash of authenticator data and client data")
        }
    }

    static func checkProfile(_ payload: JSONObject) throws(AttestationFault) {
        guard payload["ctsProfileMatch"]?.bool == true else { throw AttestationFault("ctsProfileMatch is not true") }
    }

    static func checkHost(_ leaf: Certificate) throws(AttestationFault) {
        guard names(of: leaf).contains(where: host.hasSameBytes) else {
            throw AttestationFault("the certificate of the response is not for \(host)")
        }
    }

    /// The payload of a JWS whose header carries the certificates of its key.
    static func open(_ response: [UInt8]) throws(AttestationFault) -> (JSONObject, [Certificate]) {
        let compact: CompactJWS
        do throws(JOSEError) {
            compact = try CompactJWS(response[...])
        } catch {
            throw AttestationFault("response is no JWS: \(error)")
        }
        guard let texts = compact.unverifiedHeader["x5c"]?.array else {
            throw AttestationFault("x5c of the response is missing or no array")
        }
        var certificates: [[UInt8]] = []
        for text in texts {
            guard let text = text.string, let der = try? Base64.decode(text) else {
                throw AttestationFault("x5c of the response holds another thing than base64")
            }
            certificates.append(der)
        }
        let (leaf, path) = try AttestationCertificate.path(der: certificates)
        try checkHost(leaf)
        guard let name = compact.unverifiedHeader["alg"]?.string, let algorithm = JWSAlgorithm(rawValue: name) else {
            throw AttestationFault("alg of the response is missing or unknown")
        }
        let signed: [UInt8]
        do throws(JOSEError) {
            signed = try compact.verify(with: try JWSKey(leaf.publicKey, algorithm)).payload
        } catch {
            throw AttestationFault("the response is not signed by its certificate: \(error)")
        }
        guard let payload = (try? JSON.parse(signed))?.object else {
            throw AttestationFault("the payload of the response is no JSON object")
        }
        return (payload, path)
    }

    /// The DNS names of a certificate; of an old one, its common names.
    private static func names(of certificate: Certificate) -> [String] {
        let alternative = (try? certificate.subjectAlternativeNames()) ?? []
        guard alternative.isEmpty else {
            return alternative.compactMap { if case .dns(let name) = $0 { name } else { nil } }
        }
        return certificate.subjectName[DistinguishedName.commonName]
    }
}

extension Int64 {
    /// The sum, or the end of the range that it lies beyond.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        guard overflows else { return sum }
        return other < 0 ? .min : .max
    }
}
