import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator

/// One passkey with its key and the texts that never change.
struct LoadPasskey {
    let credential: SoftwareCredential
    let id: [UInt8]
    let userHandle: [UInt8]
    var signCount: UInt32 = 0
    var isBusy = false

    init(_ credential: SoftwareCredential) {
        self.credential = credential
        id = Array(Base64URL.encode(credential.id).utf8)
        userHandle = Array(Base64URL.encode(credential.userHandle).utf8)
    }
}

/// Writes the bodies that clients send, byte by byte: the generator shares the machine with what it measures.
struct Bodies {
    let origin: [UInt8]
    let challenge: [UInt8]
    private let tokenStart: [UInt8]
    private let registerStart: [UInt8]
    private let relyingPartyHash: [UInt8]
    private let run: String

    init(_ options: Options) {
        let name = options.host.split(separator: ":").first.map(String.init) ?? options.host
        relyingPartyHash = SHA256.hash(Array(name.utf8))
        origin = Array("http://\(options.host)".utf8)
        let client = "\"client_id\":\"\(options.clientID)\",\"realm\":\"\(options.realm)\""
        challenge = Array("{\(client)}".utf8)
        tokenStart = Array(
            """
            {"grant_type":"urn:okta:params:oauth:grant-type:webauthn",\(client),\
            "scope":"openid profile email offline_access","auth_session":"
            """.utf8
        )
        registerStart = Array("{\(client),\"user_profile\":{\"email\":\"".utf8)
        run = Hex.encode(Random.bytes(4))
    }

    func register(_ number: Int) -> [UInt8] {
        registerStart + "u\(number)-\(run)@load.example\",\"name\":\"User \(number)\"}}".utf8
    }

    /// The answer to a registration's options: made by the software authenticator, which keeps the credential.
    func registered(
        session: ArraySlice<UInt8>,
        options: JSONObject,
        by authenticator: inout Authenticator
    ) throws -> [UInt8] {
        let response = try authenticator.create(options, origin: String(decoding: origin, as: UTF8.self))
        return tokenStart + session + "\",\"authn_response\":".utf8 + JSONValue.object(response).serialized() + [0x7D]
    }

    /// The answer to a sign-in's challenge.
    func signedIn(
        session: ArraySlice<UInt8>,
        challenge: ArraySlice<UInt8>,
        with passkey: LoadPasskey
    ) throws -> [UInt8] {
        var clientData: [UInt8] = []
        clientData.reserveCapacity(256)
        clientData += "{\"type\":\"webauthn.get\",\"challenge\":\"".utf8
        clientData += challenge
        clientData += "\",\"origin\":\"".utf8
        clientData += origin
        clientData += "\",\"crossOrigin\":false}".utf8
        var signed = relyingPartyHash
        signed.reserveCapacity(69)
        let count = passkey.signCount
        signed.append(0x05)
        for shift in [24, 16, 8, 0] as [UInt32] { signed.append(UInt8(truncatingIfNeeded: count >> shift)) }
        signed += SHA256.hash(clientData)
        let signature = try passkey.credential.key.sign(signed, .es256)

        var body: [UInt8] = []
        body.reserveCapacity(1536)
        body += tokenStart
        body += session
        body += "\",\"authn_response\":{\"id\":\"".utf8
        body += passkey.id
        body += "\",\"rawId\":\"".utf8
        body += passkey.id
        body +=
            """
            ","type":"public-key","authenticatorAttachment":"platform","clientExtensionResults":{},\
            "response":{"clientDataJSON":"
            """.utf8
        Base64URL.append(clientData[...], to: &body)
        body += "\",\"authenticatorData\":\"".utf8
        Base64URL.append(signed[..<37], to: &body)
        body += "\",\"signature\":\"".utf8
        Base64URL.append(signature[...], to: &body)
        body += "\",\"userHandle\":\"".utf8
        body += passkey.userHandle
        body += "\"}}}".utf8
        return body
    }
}

/// A phone with a counter, so that each sign-in changes it.
extension AuthenticatorProfile {
    static let counting = AuthenticatorProfile(
        algorithms: [.es256],
        backupEligible: false,
        backedUp: false,
        counter: .from(0),
        transports: ["internal"]
    )
}

extension ArraySlice<UInt8> {
    /// The text of the string member `name`, where it first stands; written without escapes.
    func member(_ name: StaticString) -> ArraySlice<UInt8>? {
        let wanted = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard let start = unsafe firstIndex(of: wanted) else { return nil }
        let value = self[(start + wanted.count)...]
        guard let end = value.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return value[..<end]
    }

    private func firstIndex(of wanted: UnsafeBufferPointer<UInt8>) -> Int? {
        guard count >= wanted.count, let first = unsafe wanted.first else { return nil }
        var index = startIndex
        while index <= endIndex - wanted.count {
            if self[index] == first, unsafe self[index..<index + wanted.count].elementsEqual(wanted) { return index }
            index += 1
        }
        return nil
    }
}
