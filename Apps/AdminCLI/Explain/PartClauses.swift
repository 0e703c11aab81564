import Encodings

/// Where each field of a pasted part is defined, and at which step it is checked.
enum PartClauses {
    /// Field by field; a name with `.` in it lies in the object before it.
    static func of(_ part: PastedPart) -> JSONObject {
        var object = JSONObject()
        for (field, clause) in table(part) { object.set(field, .string(clause)) }
        return object
    }

    private static func table(_ part: PastedPart) -> KeyValuePairs<String, String> {
        switch part {
        case .clientData:
            [
                "type": "WebAuthn L3 §5.8.1; checked at 7.1 step 7, 7.2 step 10",
                "challenge": "§13.4.3; 7.1 step 8, 7.2 step 11",
                "origin": "§13.4.9; 7.1 step 9, 7.2 step 12",
                "crossOrigin": "§5.8.1; 7.1 step 10, 7.2 step 13",
                "topOrigin": "§5.8.1; 7.1 step 11, 7.2 step 14",
                "sha256": "what signatures cover: 7.1 step 12, 7.2 step 20",
            ]
        case .authenticatorData:
            [
                "rpIdHash": "WebAuthn L3 §6.1; checked at 7.1 step 14, 7.2 step 15",
                "flags.up": "§6.1; 7.1 step 15, 7.2 step 16",
                "flags.uv": "§6.1; 7.1 step 16, 7.2 step 17",
                "flags.be": "§6.1.3; 7.1 steps 17 and 18, 7.2 steps 18 and 19",
                "flags.bs": "§6.1.3; 7.1 steps 17 and 19, 7.2 step 18",
                "flags.at": "§6.1: attested credential data follows; 7.1 step 13",
                "flags.ed": "§6.1: extension data follows",
                "signCount": "§6.1.1; 7.2 step 22",
                "attestedCredentialData.aaguid": "§6.5.1; 7.1 step 23, and MDS3 §3.1.1 by it",
                "attestedCredentialData.credentialId": "§6.5.1; 7.1 steps 25 and 26",
                "attestedCredentialData.alg": "§6.5.1.1; 7.1 step 20",
                "attestedCredentialData.credentialPublicKey": "§6.5.1.1, RFC 9052 §7",
                "extensions": "§9.5; 7.1 step 28, 7.2 step 23",
                "extensionMeanings": "WebAuthn L3 §10, CTAP 2.1 §12, the definition of each",
            ]
        case .attestationObject:
            [
                "fmt": "WebAuthn L3 §6.5.4; checked at 7.1 step 21",
                "attStmt": "§8, the clause of the format; 7.1 step 22",
                "attStmt.alg": "§8.2, §8.3, §8.4: the algorithm of the attestation key",
                "attStmt.sig":
                    "§8.2, §8.4: over authData and the hash of the client data; §8.3: over certInfo; "
                    + "§8.6: over the registration message",
                "attStmt.ver": "§8.3: 2.0; §8.5: of Google Play services",
                "attStmt.certInfo.magic": "§8.3: TPM_GENERATED_VALUE",
                "attStmt.certInfo.type": "§8.3: TPM_ST_ATTEST_CERTIFY",
                "attStmt.certInfo.extraData": "§8.3: the hash of authData and the hash of the client data, by alg",
                "attStmt.certInfo.attested.name": "§8.3, TPM 2.0 Part 1 §16: of pubArea",
                "attStmt.certInfo.qualifiedSigner": "§8.3: not judged, and so are clockInfo and firmwareVersion",
                "attStmt.pubArea.nameAlg": "TPM 2.0 Part 2 §12.2.4",
                "attStmt.pubArea.objectAttributes": "TPM 2.0 Part 2 §8.3; not judged",
                "attStmt.pubArea.key": "§8.3: the credential's key",
                "attStmt.response.header.x5c": "§8.5: for attest.android.com",
                "attStmt.response.payload.nonce":
                    "§8.5: base64 of the hash of authData and the hash of the client data",
                "attStmt.response.payload.ctsProfileMatch": "§8.5: true",
                "attStmt.response.payload.timestampMs": "§8.5: at most a minute old",
                "attStmt.x5c.keyDescription": "§8.4: attestationChallenge is the hash of the client data, no "
                    + "allApplications, origin GENERATED, purpose SIGN",
                "attStmt.x5c.appleNonce": "§8.8: the hash of authData and the hash of the client data",
                "attStmt[]": "§8.9: each as if it stood alone",
                "attStmt.x5c":
                    "§8.2.1, §8.3.1 and others: who the certificates are for; 7.1 steps 23 and 24: their root",
                "authData": "§6.1; see decode --as authenticator-data",
            ]
        case .key:
            [
                "1": "kty: RFC 9052 §7.1", "3": "alg: RFC 9053, WebAuthn L3 §6.5.1.1; checked at 7.1 step 20",
                "-1": "crv (EC2, OKP) or n (RSA): RFC 9053 §7.1, RFC 8230 §4", "-2": "x, or e: the same",
                "-3": "y (EC2): RFC 9053 §7.1.1",
            ]
        case .certificate:
            [
                "version": "RFC 5280 §4.1.2.1; WebAuthn L3 §8.2.1 wants 3",
                "subject": "RFC 5280 §4.1.2.6; §8.2.1 wants C, O, CN and OU Authenticator Attestation, §8.3.1 none",
                "issuer": "RFC 5280 §4.1.2.4; 7.1 step 24: the chain to a root",
                "notBefore": "RFC 5280 §4.1.2.5", "notAfter": "RFC 5280 §4.1.2.5",
                "isCA": "RFC 5280 §4.2.1.9; §8.2.1 and §8.3.1: an attestation certificate is none",
                "aaguid": "§8.2.1, §8.3: the credential's", "firmwareVersion": "§8.2.1: an INTEGER from 0",
                "deviceSerialNumber": "§8.2.2: for enterprises alone",
                "subjectAlternativeNames": "§8.3.1: maker, model and version of the TPM; §8.5: attest.android.com",
                "extendedKeyUsages": "§8.3.1: 2.23.133.8.3, attestation keys of TPMs",
                "keyDescription": "§8.4.1", "appleNonce": "§8.8",
                "publicKey": "§8.4, §8.8: the credential's; §8.6: on P-256",
                "extensions": "RFC 5280 §4.2; those of the FIDO Alliance must not be critical",
                "keyIdentifier": "RFC 5280 §4.2.1.2, method 1; MDS3 §3.1.1 finds U2F models by it",
            ]
        case .metadataEntry:
            [
                "aaguid": "MDS3 §3.1.1: the model; proven by its attestation alone (7.1 step 24)",
                "attestationCertificateKeyIdentifiers": "MDS3 §3.1.1: of U2F models",
                "metadataStatement.attestationRootCertificates": "FIDO Metadata Statement §4: where chains may end",
                "metadataStatement.attestationTypes": "FIDO Metadata Statement §4, Registry §3.6.3",
                "metadataStatement.authenticationAlgorithms": "FIDO Metadata Statement §4, Registry §3.6.1",
                "statusReports": "MDS3 §3.1.3 and §3.1.4: the last is the current one",
            ]
        case .jwt:
            [
                "header.alg": "RFC 7515 §4.1.1; fixed by the key here, RFC 8725 §3.1",
                "header.kid": "RFC 7515 §4.1.4: which key of the JWKS", "header.typ": "RFC 7515 §4.1.9, RFC 9068 §2.1",
                "claims.iss": "RFC 7519 §4.1.1", "claims.sub": "RFC 7519 §4.1.2", "claims.aud": "RFC 7519 §4.1.3",
                "claims.exp": "RFC 7519 §4.1.4", "claims.nbf": "RFC 7519 §4.1.5", "claims.iat": "RFC 7519 §4.1.6",
                "claims.auth_time": "OpenID Connect Core §2", "claims.amr": "RFC 8176 §2",
            ]
        case .credential:
            [
                "clientDataJSON": "see decode --as client-data",
                "attestationObject": "see decode --as attestation-object",
                "authenticatorData": "see decode --as authenticator-data",
                "userHandle": "WebAuthn L3 §5.2.2; checked at 7.2 step 6",
            ]
        }
    }
}
