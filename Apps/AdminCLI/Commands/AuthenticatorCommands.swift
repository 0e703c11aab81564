import COSE
import Cryptography
import Encodings
import Identity
import SoftwareAuthenticator
import Terminal
import WebAuthn

/// `authenticator create`, `root`, `register`, `sign-in` and `faults`: an authenticator in software, for tests of apps.
enum AuthenticatorCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "authenticator",
            "answer the options of ceremonies in software, rightly or wrongly, for tests of your app",
            group: AdminProgram.Group.test,
            commands: [create(tools), root, register(tools), signIn, faults]
        )
    }

    private static let fileWord = Word("FILE", "the authenticator's file, which holds its private keys")
    private static let originFlag = Flag(
        "origin",
        "ORIGIN",
        isRequired: true,
        "the page or app that asks, as https://app.example.com"
    )
    private static let faultFlag = Flag(
        "fault",
        "NAME",
        "what is to be wrong, as `latchkey-admin authenticator faults` lists it"
    )

    private static func create(_ tools: AdminTools) -> Command {
        Command(
            "create",
            "make a file with a new authenticator and its own root; a file that is there stays as it is",
            words: [fileWord],
            flags: [
                Flag("kind", choices: StoredAuthenticator.Kind.allCases.map(\.rawValue), "synced unless given"),
                Flag("aaguid", "UUID", "the model; a random one unless given"),
                Flag("intermediate", "let an intermediate certify what the authenticator attests, not the root"),
                .output(),
            ],
            examples: [
                "latchkey-admin authenticator create ci.json",
                "latchkey-admin authenticator create key.json --kind security-key --intermediate",
            ],
            exits: [.conflict]
        ) { invocation, console in
            let file = invocation.word("FILE") ?? ""
            let asked = invocation.value("aaguid")
            guard let aaguid = asked.map({ AAGUID($0) }) ?? AAGUID(Random.bytes(16)[...]) else {
                throw CommandFailure(.wrongUse, "--aaguid is no UUID.")
            }
            let kind = invocation.value("kind").flatMap { StoredAuthenticator.Kind(rawValue: $0) } ?? .synced
            let authority: AttestationAuthority
            do throws(CryptographyError) {
                authority = try AttestationAuthority(
                    aaguid: aaguid,
                    validAt: tools.now().seconds,
                    hasIntermediate: invocation.isSet("intermediate")
                )
            } catch {
                throw CommandFailure(.failed, "no authenticator can be made: \(error).")
            }
            try FileChange.alone(file) {
                guard !PrivateFile.exists(file) else {
                    throw CommandFailure(.conflict, "\(file) is there already. Nothing was changed.")
                }
                try AuthenticatorFile.save(StoredAuthenticator(kind, by: authority), to: file)
            }
            console.answer(
                Details(["file": .string(file), "kind": .string(kind.rawValue), "aaguid": .string("\(aaguid)")]),
                as: invocation.format
            )
            console.note("`latchkey-admin authenticator root \(file)` prints the certificate that trusts it.")
            return .done
        }
    }

    private static let root = Command(
        "root",
        "print the root certificate that the authenticator's attestations end at, as PEM",
        words: [fileWord],
        examples: ["latchkey-admin authenticator root ci.json > root.pem"]
    ) { invocation, console in
        let stored = try AuthenticatorFile.read(invocation.word("FILE") ?? "")
        // The answer brings its own line break.
        console.answer(String(stored.authority.root.pem.dropLast()))
        return .done
    }

    private static func register(_ tools: AdminTools) -> Command {
        Command(
            "register",
            "answer creation options on standard input with a new credential, which the file keeps",
            words: [fileWord],
            flags: [
                originFlag, faultFlag,
                Flag(
                    "attest",
                    choices: AttestationChoice.allCases.map(\.rawValue),
                    "how, also where none was asked for"
                ),
                Flag("algorithm", "NUMBER", "the COSE number of the key, -7 for ES256; the first offered unless given"),
                Flag("tpm-algorithm", "NUMBER", "the COSE number of a TPM's signature, -257 unless given"),
                Flag("conditional", "answer as an upgrade that nobody is asked about: UP and UV are 0"),
            ],
            examples: [
                "latchkey-admin authenticator register ci.json --origin https://app.example.com < options.json",
                "latchkey-admin authenticator register ci.json --origin https://app.example.com --attest tpm "
                    + "--fault tpmMagicWrong < options.json",
            ]
        ) { invocation, console in
            let options = try options(try console.input.readAll())
            let response = try AuthenticatorFile.change(invocation.word("FILE") ?? "") { stored in
                try register(&stored, options, invocation, tools)
            }
            console.answer(response)
            return .done
        }
    }

    /// Makes a credential, and answers with it.
    private static func register(
        _ stored: inout StoredAuthenticator,
        _ options: JSONObject,
        _ invocation: Invocation,
        _ tools: AdminTools
    ) throws(CommandFailure) -> String {
        var profile = stored.profile
        if let word = invocation.value("attest"), let choice = AttestationChoice(rawValue: word) {
            let number = try number(invocation, "tpm-algorithm") ?? COSEAlgorithm.rs256.rawValue
            profile.attestation = try choice.attestation(
                stored.authority,
                tpmAlgorithm: COSEAlgorithm(rawValue: number),
                now: tools.now().seconds
            )
            profile.attestsUnasked = true
        }
        if let number = try number(invocation, "algorithm") {
            profile.algorithms = [COSEAlgorithm(rawValue: number)]
        }
        var authenticator = Authenticator(profile, credentials: stored.credentials)
        let response = try answer { () throws(AuthenticatorError) in
            try authenticator.create(
                options,
                origin: invocation.value("origin") ?? "",
                conditional: invocation.isSet("conditional"),
                fault: try fault(invocation)
            )
        }
        stored.credentials = authenticator.credentials
        return response
    }

    private static let signIn = Command(
        "sign-in",
        "answer request options on standard input with the newest credential that fits, and count",
        words: [fileWord],
        flags: [originFlag, faultFlag],
        examples: [
            "latchkey-admin authenticator sign-in ci.json --origin https://app.example.com < options.json",
            "latchkey-admin authenticator sign-in ci.json --origin https://app.example.com --fault signatureWrong "
                + "< options.json",
        ],
        exits: [.notFound]
    ) { invocation, console in
        let options = try options(try console.input.readAll())
        let response = try AuthenticatorFile.change(invocation.word("FILE") ?? "") { stored in
            var authenticator = Authenticator(stored.profile, credentials: stored.credentials)
            let response = try answer { () throws(AuthenticatorError) in
                try authenticator.get(options, origin: invocation.value("origin") ?? "", fault: try fault(invocation))
            }
            stored.credentials = authenticator.credentials
            return response
        }
        console.answer(response)
        return .done
    }

    private static let faults = Command(
        "faults",
        "list what can be wrong on demand, and the refusal that it must meet",
        flags: [.output(ofList: true)],
        examples: ["latchkey-admin authenticator faults", "latchkey-admin authenticator faults -o json"]
    ) { invocation, console in
        let columns = [
            Column("fault"), Column("ceremonies"), Column("attestation"), Column("reason"), Column("needs"),
        ]
        let rows = Fault.allCases.map { fault -> JSONObject in
            [
                "fault": .string(fault.rawValue),
                "ceremonies": .string(fault.ceremonies.map(\.rawValue).joined(separator: " ")),
                "attestation": .string(fault.formats.joined(separator: " ")),
                "reason": .string(fault.reason.rawValue), "needs": .string(fault.condition ?? ""),
            ]
        }
        console.answer(Listing(columns, rows: rows), as: invocation.format)
        return .done
    }

    /// The options themselves, or an answer of the server that has them inside.
    private static func options(_ bytes: [UInt8]) throws(CommandFailure) -> JSONObject {
        guard let object = (try? JSON.parse(bytes))?.object else {
            throw CommandFailure(.wrongUse, "standard input is no JSON object: it must be the options of a ceremony.")
        }
        for name in ["authn_params_public_key", "publicKey"] {
            if let inner = object[name]?.object { return inner }
        }
        return object
    }

    private static func number(_ invocation: Invocation, _ flag: String) throws(CommandFailure) -> Int? {
        guard let text = invocation.value(flag) else { return nil }
        guard let number = Int(text) else { throw CommandFailure(.wrongUse, "--\(flag) is no number.") }
        return number
    }

    /// The fault that `--fault` names. One that nobody knows cannot apply either.
    private static func fault(_ invocation: Invocation) throws(AuthenticatorError) -> Fault? {
        guard let name = invocation.value("fault") else { return nil }
        guard let fault = Fault(rawValue: name) else { throw .faultDoesNotApply }
        return fault
    }

    /// The answer on one line, or what kept the authenticator from it.
    private static func answer(_ body: () throws(AuthenticatorError) -> JSONObject) throws(CommandFailure) -> String {
        do throws(AuthenticatorError) {
            return String(decoding: JSONValue.object(try body()).serialized(), as: UTF8.self)
        } catch {
            switch error {
            case .invalidOptions(let member):
                throw CommandFailure(.wrongUse, "the options lack \(member), or have another thing there.")
            case .noUsableAlgorithm:
                throw CommandFailure(.wrongUse, "the options offer no algorithm that can be made and attested so.")
            case .faultDoesNotApply:
                throw CommandFailure(
                    .wrongUse,
                    "--fault names nothing that can be wrong here: look at `latchkey-admin authenticator faults`."
                )
            case .excluded:
                throw CommandFailure(.failed, "a credential of excludeCredentials is in the file already.")
            case .cannotVerifyUser:
                throw CommandFailure(.failed, "user verification is required, and this authenticator has none.")
            case .noCredential:
                throw CommandFailure(.notFound, "no credential in the file is for this RP ID, or among those listed.")
            case .cryptography(let error): throw CommandFailure(.failed, "signing failed: \(error).")
            }
        }
    }
}
