internal import Cryptography
internal import Encodings

extension Decoding {
    /// One certificate, with those of its extensions taken apart that attestations are judged by.
    static func certificate(_ certificate: Certificate) -> JSONValue {
        func names(_ name: [DistinguishedName.Attribute]) -> JSONValue {
            .array(name.map { ["oid": .string($0.oid), "value": .string($0.value)] })
        }
        var object: JSONObject = [
            "subject": names(certificate.subject),
            "issuer": names(certificate.issuer),
            "notBefore": .string(CalendarTime.text(certificate.notBefore)),
            "notAfter": .string(CalendarTime.text(certificate.notAfter)),
            "isCA": .bool(certificate.isCA),
            "version": .integer(Int64(certificate.version)),
            "serial": .string(Hex.encode(certificate.serial)),
            "publicKey": key(certificate.publicKey.components),
        ]
        if let names = try? certificate.subjectAlternativeNames(), !names.isEmpty {
            object["subjectAlternativeNames"] = .array(names.map(alternativeName))
        }
        if let purposes = try? certificate.extendedKeyUsages() {
            object["extendedKeyUsages"] = .array(purposes.map(JSONValue.string))
        }
        if let found = certificate.extensionValue(AttestationExtension.model.rawValue) {
            object["aaguid"] = AttestationExtension.aaguid(in: found.value).map { .string("\($0)") } ?? .null
        }
        if let found = certificate.extensionValue(AttestationExtension.firmwareVersion.rawValue) {
            let number = try? DERReader.single(found.value[...]).integer()
            object["firmwareVersion"] = number.map(JSONValue.integer) ?? .null
        }
        if let found = certificate.extensionValue(AttestationExtension.serialNumber.rawValue) {
            let device = (try? DERReader.single(found.value[...]))?.content
            object["deviceSerialNumber"] = device.map { .string(Hex.encode($0)) } ?? .null
        }
        if let found = certificate.extensionValue(AppleAttestation.nonceExtension) {
            let nonce = AppleAttestation.nonce(found.value)
            object["appleNonce"] = nonce.map { .string(Base64URL.encode($0)) } ?? .null
        }
        if certificate.extensionValue(AndroidKeyDescription.oid) != nil {
            object["keyDescription"] = (try? AndroidKeyDescription(certificate)).map(keyDescription) ?? .null
        }
        object["extensions"] = .array(
            certificate.extensions.map {
                var item: JSONObject = ["oid": .string($0.oid), "critical": .bool($0.critical)]
                if let name = extensionNames[$0.oid] { item["name"] = .string(name) }
                item["value"] = .string(Base64URL.encode($0.value))
                return .object(item)
            }
        )
        object["keyIdentifier"] =
            (try? certificate.publicKey.keyIdentifier()).map { .string(Hex.encode($0)) } ?? .null
        object["sha256"] = .string(Base64URL.encode(SHA256.hash(certificate.der)))
        object["der"] = .string(Base64URL.encode(certificate.der))
        return .object(object)
    }

    /// The kind of a public key, and its numbers.
    static func key(_ components: PublicKeyComponents) -> JSONValue {
        func bytes(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
        return switch components {
        case .ec(let curve, let x, let y):
            ["kind": "EC", "curve": .string(curveName(curve)), "x": bytes(x), "y": bytes(y)]
        case .rsa(let modulus, let exponent):
            ["kind": "RSA", "bits": .integer(Int64(modulus.count * 8)), "n": bytes(modulus), "e": bytes(exponent)]
        case .ed25519(let x): ["kind": "Ed25519", "x": bytes(x)]
        case .ed448(let x): ["kind": "Ed448", "x": bytes(x)]
        case .mlDSA(_, let key): ["kind": "ML-DSA", "pub": bytes(key)]
        }
    }

    private static func curveName(_ curve: EllipticCurve) -> String {
        switch curve {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .secp256k1: "secp256k1"
        }
    }

    private static func alternativeName(_ name: GeneralName) -> JSONValue {
        switch name {
        case .dns(let text): .string("DNS \(text)")
        case .email(let text): .string("email \(text)")
        case .uri(let text): .string("URI \(text)")
        case .ip(let bytes): .string("IP \(Hex.encode(bytes))")
        case .directory(let name): .string("directory \(name)")
        case .other(let bytes): .string("other \(Hex.encode(bytes))")
        }
    }

    private static let extensionNames: [String: String] = [
        "2.5.29.14": "subjectKeyIdentifier", "2.5.29.15": "keyUsage", "2.5.29.17": "subjectAltName",
        "2.5.29.19": "basicConstraints", "2.5.29.30": "nameConstraints", "2.5.29.31": "cRLDistributionPoints",
        "2.5.29.32": "certificatePolicies", "2.5.29.35": "authorityKeyIdentifier", "2.5.29.37": "extKeyUsage",
        "1.3.6.1.5.5.7.1.1": "authorityInfoAccess", "1.3.6.1.4.1.45724.2.1.1": "id-fido-u2f-ce-transports",
        AttestationExtension.model.rawValue: "id-fido-gen-ce-aaguid",
        AttestationExtension.firmwareVersion.rawValue: "id-fido-gen-ce-fw-version",
        AttestationExtension.serialNumber.rawValue: "id-fido-gen-ce-sernum",
        AppleAttestation.nonceExtension: "Apple's nonce", AndroidKeyDescription.oid: "Android's key description",
    ]

    private static func keyDescription(_ description: AndroidKeyDescription) -> JSONValue {
        func level(_ number: Int64) -> JSONValue {
            let names = ["Software", "TrustedEnvironment", "StrongBox"]
            return .string(names.indices.contains(Int(clamping: number)) ? names[Int(clamping: number)] : "\(number)")
        }
        return [
            "attestationVersion": .integer(description.attestationVersion),
            "attestationSecurityLevel": level(description.attestationSecurityLevel),
            "keyMintVersion": .integer(description.keyMintVersion),
            "keyMintSecurityLevel": level(description.keyMintSecurityLevel),
            "attestationChallenge": .string(Base64URL.encode(description.attestationChallenge)),
            "uniqueId": .string(Hex.encode(description.uniqueID)),
            "softwareEnforced": authorizations(description.softwareEnforced),
            "hardwareEnforced": authorizations(description.hardwareEnforced),
        ]
    }

    private static func authorizations(_ list: AndroidKeyDescription.AuthorizationList) -> JSONValue {
        let purposes = ["ENCRYPT", "DECRYPT", "SIGN", "VERIFY", "DERIVE_KEY", "WRAP_KEY", "AGREE_KEY", "ATTEST_KEY"]
        let origins = ["GENERATED", "DERIVED", "IMPORTED", "RESERVED", "SECURELY_IMPORTED"]
        func name(_ number: Int64, _ names: [String]) -> JSONValue {
            let index = Int(clamping: number)
            return .string(names.indices.contains(index) ? names[index] : "\(number)")
        }
        return [
            "purpose": .array(list.purposes.sorted().map { name($0, purposes) }),
            "origin": list.origin.map { name($0, origins) } ?? .null,
            "allApplications": .bool(list.hasAllApplications),
            "tags": .array(list.tags.map { .integer(Int64($0)) }),
        ]
    }
}
