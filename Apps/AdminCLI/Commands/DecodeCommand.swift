import Encodings
import Terminal

/// `decode`: what stands in a pasted attestation object, authenticator data, client data, key or token.
enum DecodeCommand {
    static let command = Command(
        "decode",
        "show what stands in a pasted attestation object, authenticator data, client data, key, certificate, metadata "
            + "entry or JWT, with the clause of each field and the outcome of each check that needs nothing else; "
            + "nothing leaves this machine",
        group: AdminProgram.Group.why,
        words: [Word("TEXT", isOptional: true, "base64url, base64, hex, PEM or JSON; - or nothing is standard input")],
        flags: [
            Flag("as", choices: PastedPart.allCases.map(\.rawValue), "what it is, when it is not seen by itself"),
            .output(),
        ],
        examples: [
            "latchkey-admin decode o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik…",
            "latchkey-admin decode --as jwt -o json < token.txt",
        ]
    ) { invocation, console in
        var text = invocation.word("TEXT") ?? "-"
        if text == "-" { text = String(decoding: try console.input.readAll(), as: UTF8.self) }
        let asked = invocation.value("as").flatMap { PastedPart(rawValue: $0) }
        do throws(PasteError) {
            let value = try Paste(text).decoded(as: asked)
            console.answer(Details(value), as: invocation.format)
            return .done
        } catch {
            throw CommandFailure(.wrongUse, error.message)
        }
    }
}
