import Identity
import Terminal

/// `dev.env`: what the other commands need to reach the development server, for a shell to read.
struct EnvironmentFile {
    let folder: String

    var path: String { folder + "/dev.env" }

    var exists: Bool { PrivateFile.exists(path) }

    func write(url: String, client: ClientID, secret: String) throws {
        try PrivateFile.write(
            path,
            """
            # Made by latchkey-server dev. It holds a secret: only its owner may read it.
            export LATCHKEY_URL=\(url)
            export LATCHKEY_CLIENT_ID=\(client.text)
            export LATCHKEY_CLIENT_SECRET=\(secret)
            export LATCHKEY_STORE=sqlite:\(folder)/latchkey.db
            export LATCHKEY_MASTER_KEY_FILE=\(folder)/master.key

            """
        )
    }
}
