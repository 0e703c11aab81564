import CBOR
import COSE
import Cryptography
import Encodings
import Foundation
import SoftwareAuthenticator
import WebAuthn

// Writes the seeds of the corpus: FuzzSeeds FOLDER. They are made anew each time; those that libFuzzer finds are kept.

let folder = CommandLine.arguments.dropFirst().first ?? "Corpus"
let time: Int64 = 1_767_225_600
let challenge = [UInt8](repeating: 0, count: 32)
let origin = "https://login.example.com"

func write(_ bytes: [UInt8], _ target: String, _ name: String) throws {
    let path = URL(filePath: "\(folder)/\(target)")
    try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
    try Data(bytes).write(to: path.appending(path: "seed-\(name)"))
}

let aaguid = AAGUID("9a3d1f5e-0c2b-4d6f-8e7a-1b2c3d4e5f60") ?? .zero
let authority = try AttestationAuthority(aaguid: aaguid, validAt: time, hasIntermediate: true)
let attestations: [(String, AuthenticatorProfile.Attestation, COSEAlgorithm)] = [
    ("none", .none, .es256), ("self", .packedSelf, .es256), ("self-ed25519", .packedSelf, .edDSA),
    ("self-rs256", .packedSelf, .rs256), ("self-ml-dsa-44", .packedSelf, .mlDSA44),
    ("packed", .packed(authority), .es256),
    ("u2f", .fidoU2F(authority), .es256), ("tpm", .tpm(authority, try SoftwareTPM()), .es256),
    ("tpm-rsa", .tpm(authority, try SoftwareTPM()), .rs256),
    ("android-key", .androidKey(authority, enforcedBy: .hardware), .es256),
    ("android-safetynet", .androidSafetyNet(authority, try SafetyNetService(answeringAt: time)), .es256),
    ("apple", .apple(authority), .es256), ("compound", .compound([.packedSelf, .packed(authority)]), .es256),
]

for (name, attestation, algorithm) in attestations {
    var profile = AuthenticatorProfile(aaguid: aaguid, algorithms: [algorithm], attestation: attestation)
    if name == "packed" { profile.registrationExtensions = CBORMap([CBORMap.Entry(key: "credProtect", value: 2)]) }
    var authenticator = Authenticator(profile)
    let response = try authenticator.create(
        [
            "rp": ["id": "login.example.com", "name": "x"], "user": ["id": "AQ", "name": "a", "displayName": "a"],
            "challenge": .string(Base64URL.encode(challenge)), "attestation": "direct",
            "pubKeyCredParams": [["type": "public-key", "alg": .integer(Int64(algorithm.rawValue))]],
        ],
        origin: origin
    )
    guard let members = response["response"]?.object, let text = members["attestationObject"]?.string,
        let clientData = members["clientDataJSON"]?.string
    else { fatalError("no response") }
    let bytes = try Base64URL.decode(text)
    let object = try AttestationObject(decoding: bytes)
    try write(bytes, "attestation-object", name)
    try write(try Base64URL.decode(clientData), "client-data", name)
    try write(object.authenticatorData.bytes, "authenticator-data", name)
    if bytes.count < 3000 { try write(bytes, "cbor", name) }
    guard let credential = object.authenticatorData.attestedCredentialData else { continue }
    try write(credential.publicKey, "cose-key", name)
    try write(try COSEKey(decoding: credential.publicKey).subjectPublicKeyInfo, "cose-key", "\(name)-spki")
    for (index, element) in (object.statement.map?["x5c"]?.array ?? []).enumerated() {
        if let certificate = element.bytes { try write(certificate, "x509", "\(name)-\(index)") }
    }
}

let rootKey = try SigningKey.generate(.p256)
var builder = CertificateBuilder(
    subject: [(oid: DistinguishedName.commonName, value: "Root")],
    notBefore: time - 1000,
    notAfter: time + 1000,
    isCA: true
)
builder.keyUsage = [.keyCertSign, .cRLSign]
builder.subjectAlternativeNames = [.dns("login.example.com")]
let root = try builder.selfSigned(by: rootKey)
try write(root.der, "x509", "root")
var list = RevocationListBuilder(thisUpdate: time - 10, nextUpdate: time + 10)
list.revoked = [root]
try write(try list.signed(by: root, key: rootKey), "x509", "crl")
let pem =
    "-----BEGIN CERTIFICATE-----\n\(Base64.encode(root.der))\n-----END CERTIFICATE-----\n"
try write(Array(pem.utf8), "x509", "pem")

let payload = #"""
    {"legalHeader":"x","no":7,"nextUpdate":"2026-12-31","entries":[{"aaguid":"9a3d1f5e-0c2b-4d6f-8e7a-1b2c3d4e5f60",\#
    "metadataStatement":{"description":"A key","protocolFamily":"fido2","schema":3,"authenticatorVersion":1,\#
    "upv":[{"major":1,"minor":1}],"attestationTypes":["basic_full"],"icon":"data:image/png;base64,AA==",\#
    "attestationRootCertificates":["\#(Base64.encode(root.der))"],"authenticationAlgorithms":["secp256r1_ecdsa_sha256_raw"],\#
    "publicKeyAlgAndEncodings":["cose"],"keyProtection":["hardware"],"authenticatorGetInfo":{"versions":["FIDO_2_1"],\#
    "aaguid":"9a3d1f5e0c2b4d6f8e7a1b2c3d4e5f60","options":{"rk":true}}},\#
    "statusReports":[{"status":"FIDO_CERTIFIED_L1","effectiveDate":"2024-01-01","authenticatorVersion":1},\#
    {"status":"REVOKED","effectiveDate":"2025-01-01"}],"timeOfLastStatusChange":"2025-01-01"}]}
    """#
try write(Array(payload.utf8), "mds-blob", "payload")
let header = #"{"alg":"ES256","typ":"JWT","x5c":["\#(Base64.encode(root.der))"]}"#
let signed = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
let signature = try rootKey.sign(Array(signed.utf8), .es256, form: .raw)
try write(Array("\(signed).\(Base64URL.encode(signature))".utf8), "mds-blob", "blob")
