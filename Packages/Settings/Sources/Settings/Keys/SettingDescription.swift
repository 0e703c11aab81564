extension SettingKey {
    /// One line on what the setting does, for the example file and the manual.
    public var summary: String {
        switch self {
        case .dataDirectory: "Folder of the embedded store and of the master key."
        case .listen:
            "Where to listen: host:port, several allowed; unix:PATH too. localhost means both loopback addresses."
        case .adminListen:
            "Where to serve /metrics, /healthz, /readyz and /tls/allowed, or off. Never on a public address."
        case .trustedProxies:
            "Networks of the proxies whose X-Forwarded headers count; \"unix\" for those on a unix: listener."
        case .tlsCertificate:
            "PEM file of the certificate and its chain, or off. Read again on SIGHUP and when it changes."
        case .tlsKey: "PEM file of the certificate's private key, or off."
        case .store: "The credential store: sqlite:PATH, or postgres://USER:PASSWORD@HOST,HOST/DATABASE."
        case .storePrepare: "off behind PgBouncer in transaction mode."
        case .challenges:
            "Where challenges wait for their answer: memory, redis://HOST:PORT, rediss:, redis+unix:///SOCKET or store."
        case .masterKeyFile: "The key that wraps all other keys. Keep it out of the folder that the backup copies."
        case .mail: "The mail server: smtp://HOST, smtps://USER:PASSWORD@HOST, or off."
        case .mailFrom: "The sender of mail: NAME <ADDRESS>."
        case .mailTemplates: "Folder of mail templates of your own, or off."
        case .metadataRoots: "PEM file of the roots that sign the metadata of authenticators, or off."
        case .metadataURL: "Where to get the metadata of authenticators, or off."
        case .metadataCRLs: "Folder of certificate revocation lists for the metadata, or off."
        case .breachedPasswords: "File of passwords that nobody may choose, one a line, or off."
        case .publicSuffixList: "The public suffix list."
        case .dnsServers: "Name servers, ADDRESS:PORT, or system."
        case .rateLimits: "How often a client may ask: off, or a map with 120/minute or off for each."
        case .ratePasskeyChallenges: "Passkey challenges, by address and tenant."
        case .rateToken: "The token endpoint, by address and tenant."
        case .ratePasswordIdentifierIP:
            "Wrong passwords for one identifier from one address, and how long they lock it."
        case .ratePasswordIdentifier: "Wrong passwords in a row for one identifier, until passwords are off for it."
        case .ratePasswordIP: "Wrong passwords, by address."
        case .rateSignup: "Sign-ups, by address."
        case .rateRecoveryMail: "Recovery mails, by identifier."
        case .rateRecoveryCodes: "Wrong recovery codes, by identifier; by address five times as many."
        case .rateManagement: "The Management API, by tenant."
        case .rateMyAccount: "The My Account API, by user."
        case .limitHead: "Bytes of a request's head."
        case .limitFields: "Header fields of a request."
        case .limitTarget: "Bytes of a request's target."
        case .limitTrailer: "Bytes of a chunked body's trailer."
        case .limitBody: "Bytes of a body at the Authentication, My Account, browser and conformance APIs."
        case .limitManagementBody: "Bytes of a body at the Management API."
        case .limitImportBody: "Bytes of an import of users."
        case .limitRequestsPerConnection: "Requests on one connection before it is closed."
        case .limitConnections: "Connections at once."
        case .limitConnectionsPerAddress:
            "Connections at once from one address; loopback and trusted proxies have no such limit."
        case .limitRequestsInFlight: "Requests that are being handled at once; more get 503."
        case .limitChallenges: "Challenges that may wait at once in memory; more get 503."
        case .deadlineTLSHandshake: "The TLS handshake."
        case .deadlineHead: "Receiving a request's head."
        case .deadlineRequest: "Receiving a whole request."
        case .deadlineHandling: "Handling a request."
        case .deadlineWrite: "Progress while an answer is written."
        case .deadlineKeepAlive: "An idle connection. Longer than the proxy's own."
        case .deadlineDrain: "Answering what is in flight when the server stops."
        case .deadlineConnect: "Connecting to a store."
        case .deadlinePool: "Waiting for a free connection to the store."
        case .deadlineStore: "All store calls of one request together."
        case .deadlineChallenges: "One call of a challenge store on the network."
        case .logFormat: "text or json. On a terminal text, else json."
        case .logLevel: "debug, info, warning or error."
        }
    }

    /// What would be right, in an error.
    var remedy: String {
        switch self {
        case .dataDirectory: return "Write the path of a folder, as /var/lib/latchkey."
        case .listen: return "Write host:port, as localhost:8080, 0.0.0.0:8080 or \"[::1]:8080\", or unix:/PATH."
        case .adminListen: return "Write host:port, as 127.0.0.1:9090, or off."
        case .trustedProxies: return "Write networks, as 10.0.0.0/24 or \"::1/128\", or unix."
        case .tlsCertificate, .tlsKey, .metadataRoots: return "Write the path of a PEM file, or off."
        case .store: return "Use sqlite:PATH for one server, or postgres://host/database for several."
        case .storePrepare: return "Use on, or off behind PgBouncer in transaction mode."
        case .challenges: return "Use memory for one server, or redis://host:port for several."
        case .masterKeyFile: return "Write the path of the key file, as /etc/latchkey/master.key."
        case .mail: return "Use smtps://USER:PASSWORD@HOST, smtp://HOST, or off."
        case .mailFrom: return "Write NAME <ADDRESS>, as Acme <no-reply@acme.example>."
        case .mailTemplates, .metadataCRLs: return "Write the path of a folder, or off."
        case .metadataURL: return "Write an https:// address, or off."
        case .breachedPasswords: return "Write the path of a file, or off."
        case .publicSuffixList: return "Write the path of the list."
        case .dnsServers: return "Write address:port, as 192.0.2.53:53, or system."
        case .rateLimits: return "Write off, or a map, as { token: 120/minute }."
        case .ratePasswordIdentifier: return "Write a number, as 100, or off."
        case .ratePasswordIdentifierIP: return "Write number/time, as 10/15minutes, or off."
        case .rateManagement: return "Write number/time, as 50/second or 50/second burst 100, or off."
        case .limitHead, .limitTarget, .limitTrailer, .limitBody, .limitManagementBody, .limitImportBody:
            return "Write bytes, as 65536, 64KiB or 1MiB"
        case .logFormat: return "Use text or json."
        case .logLevel: return "Use debug, info, warning or error."
        default:
            switch section {
            case "rate_limits": return "Write number/time, as 120/minute, or off."
            case "deadlines": return "Write a number and ms, s or m, as 10s or 250ms"
            default: return "Write a number"
            }
        }
    }
}
