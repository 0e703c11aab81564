internal import CBOR
public import Encodings

/// The extension outputs of a ceremony that say something about the credential or its authenticator (WebAuthn L3 §10,
/// CTAP 2.1 §12), as one document.
///
/// Others are passed over: they may hold secrets (what `prf` evaluates to, what a `largeBlob` is) or were asked for by
/// nobody. An output of a wrong type is passed over too, for no extension may make a ceremony fail.
public enum ExtensionOutputs {
    /// - Parameters:
    ///   - client: `clientExtensionResults`, which nobody signed.
    ///   - authenticator: the map in authenticator data; `nil`: none.
    /// - Returns: `credProps`, `prf` and `largeBlob` of the client, `credProtect` and `minPinLength` of the authenticator,
    ///   as far as they are there.
    public static func document(client: JSONObject, authenticator: [UInt8]?) -> JSONObject {
        var document = JSONObject()
        for (name, member) in [
            ("credProps", "rk"), ("prf", "enabled"), ("largeBlob", "supported"), ("largeBlob", "written"),
        ] {
            guard let value = client[name]?.object?[member]?.bool else { continue }
            var output = document[name]?.object ?? JSONObject()
            output.set(member, .bool(value))
            document.set(name, .object(output))
        }
        let map = authenticator.flatMap { try? CBOR.decode($0[...], as: .interoperable).map }
        for name in ["credProtect", "minPinLength"] {
            if let value = map?[.text(name)]?.integer { document.set(name, .integer(value)) }
        }
        return document
    }
}
