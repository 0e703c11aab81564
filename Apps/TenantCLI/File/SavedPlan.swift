import Encodings
import Terminal

/// A plan in a file: the tenant file as it was written, markers and all, and what the server made of it. It holds no
/// secret: those stand in the environment when it is applied.
struct SavedPlan {
    let url: String
    let tenant: String
    let version: String
    let allowsDeletion: Bool
    let fileName: String
    let text: String
    let changes: JSONValue

    var document: JSONObject {
        [
            "latchkey_plan": 1, "url": .string(url), "tenant": .string(tenant), "version": .string(version),
            "allow_delete": .bool(allowsDeletion), "file": .string(fileName), "text": .string(text),
            "changes": changes,
        ]
    }

    init(
        url: String,
        tenant: String,
        version: String,
        allowsDeletion: Bool,
        fileName: String,
        text: String,
        changes: JSONValue
    ) {
        self.url = url
        self.tenant = tenant
        self.version = version
        self.allowsDeletion = allowsDeletion
        self.fileName = fileName
        self.text = text
        self.changes = changes
    }

    /// `nil` for a file that is no plan.
    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSON.parse(bytes))?.object, object["latchkey_plan"] == 1,
            let url = object["url"]?.string, let version = object["version"]?.string,
            let text = object["text"]?.string
        else { return nil }
        self.url = url
        self.version = version
        self.text = text
        tenant = object["tenant"]?.string ?? ""
        allowsDeletion = object["allow_delete"]?.bool ?? false
        fileName = object["file"]?.string ?? "plan"
        changes = object["changes"] ?? []
    }
}
