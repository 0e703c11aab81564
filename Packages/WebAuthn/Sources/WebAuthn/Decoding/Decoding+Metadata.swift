internal import Cryptography
public import Encodings

extension Decoding {
    /// A metadata entry as it came, with its certificates taken apart and its picture left out.
    public static func metadataEntry(_ entry: MetadataEntry) -> JSONValue {
        metadataEntry(entry.document)
    }

    /// One X.509 certificate in DER.
    ///
    /// - Throws: ``ResponseError`` with what is wrong with it.
    public static func certificate(_ der: [UInt8]) throws(ResponseError) -> JSONValue {
        do throws(CryptographyError) {
            return certificate(try Certificate(der: der))
        } catch {
            throw ResponseError("the certificate", .malformed(reason: "\(error)"))
        }
    }

    /// One entry of a metadata BLOB, as JSON.
    ///
    /// - Throws: ``ResponseError`` when it names no model.
    public static func metadataEntry(json: JSONObject) throws(ResponseError) -> JSONValue {
        guard MetadataEntry(json) != nil else {
            throw ResponseError("the metadata entry", .malformed(reason: "no model, or no status that can be read"))
        }
        return metadataEntry(json)
    }

    static func metadataEntry(_ document: JSONObject) -> JSONValue {
        var entry = document
        guard var statement = entry["metadataStatement"]?.object else { return .object(entry) }
        if let icon = statement["icon"]?.string { statement["icon"] = .string("\(icon.utf8.count) bytes") }
        if let roots = statement["attestationRootCertificates"]?.array {
            statement["attestationRootCertificates"] = .array(
                roots.map { root in root.string.flatMap(MetadataStatement.certificate).map(certificate) ?? root }
            )
        }
        entry["metadataStatement"] = .object(statement)
        return .object(entry)
    }
}
