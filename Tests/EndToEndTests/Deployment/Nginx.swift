import Foundation
import Glibc
import Programs
import Testing

/// nginx with TLS in front of servers, told what docs/operations.md tells operators to tell it.
final class Nginx: Sendable {
    /// Where clients of the test go: what they send arrives at nginx over TLS, from their own address.
    let entrance: Int
    /// Where it speaks TLS itself.
    let port: Int
    /// Its certificate, which is its own authority; a file.
    var certificate: String { folder.file("certificate.pem") }
    private let folder: TemporaryFolder
    private let proxy: ChildProcess
    private let pipe: ChildProcess

    static let program = "/usr/sbin/nginx"
    static let python = "/usr/bin/python3"
    static let isInstalled = [program, python, "/usr/bin/openssl"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static let missing = "needs nginx, openssl and python3: .ci/setup test"

    private init(_ folder: TemporaryFolder, entrance: Int, port: Int, _ name: String) throws {
        self.folder = folder
        self.entrance = entrance
        self.port = port
        let environment = ["PATH": "/usr/sbin:/usr/bin:/bin", "LANG": "C.UTF-8"]
        proxy = try ChildProcess(
            Self.program,
            ["-p", folder.path, "-e", "stderr", "-c", folder.file("nginx.conf")],
            environment: environment
        )
        pipe = try ChildProcess(
            Self.python,
            [
                Paths.repository + "/Tests/EndToEndTests/Configurations/tls_pipe.py", "\(entrance)", "\(port)",
                folder.file("certificate.pem"), name,
            ],
            environment: environment
        )
    }

    /// Starts one, for the host `name`, before `servers`; told `lines`, or what is documented.
    static func start(
        for name: String,
        before servers: [LatchkeyServer],
        saying lines: [String]? = nil
    ) async throws -> Nginx {
        let folder = try TemporaryFolder()
        let made = try await run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)", "-keyout", folder.file("key.pem"), "-out",
                folder.file("certificate.pem"),
            ]
        )
        try #require(made.exit == 0, "\(made)")
        let (entrance, port) = (try freePort(), try freePort())
        let told = try lines?.joined(separator: "\n") ?? documented()
        try folder.write(configuration(folder, port, servers, told), to: "nginx.conf")
        let nginx = try Nginx(folder, entrance: entrance, port: port, name)
        let answers = try await eventually(seconds: 90) {
            guard nginx.proxy.isRunning, nginx.pipe.isRunning else { return true }
            let request = Request.get("/healthz").bytes(host: name)
            return (try? await Wire.exchange([(request, "127.0.0.1")], port: entrance))?.first?.status == 200
        }
        try #require(
            answers && nginx.proxy.isRunning && nginx.pipe.isRunning,
            "\(nginx.proxy.errors)\(nginx.pipe.errors)"
        )
        return nginx
    }

    func stop() async throws {
        for process in [pipe, proxy] {
            process.send(SIGTERM)
            try await process.wait()
        }
    }

    private static func configuration(
        _ folder: TemporaryFolder,
        _ port: Int,
        _ servers: [LatchkeyServer],
        _ lines: String
    ) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "    \($0)_temp_path \(folder.file($0));\n"
        }
        return """
            daemon off;
            master_process off;
            pid \(folder.file("pid"));
            events { worker_connections 1024; }
            http {
                access_log off;
            \(temporary.joined())
                upstream latchkey {
            \(servers.map { "        server 127.0.0.1:\($0.port);\n" }.joined())
                    keepalive 16;
                }
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(folder.file("certificate.pem"));
                    ssl_certificate_key \(folder.file("key.pem"));
                    location / {
            \(lines)
                    }
                }
            }
            """
    }

    /// The lines of docs/operations.md, for these servers.
    private static func documented() throws -> String {
        let lines = contents(Paths.repository + "/docs/operations.md").split(separator: "\n").filter {
            $0.hasPrefix("    proxy_")
        }
        try #require(lines.count == 3, "docs/operations.md says what nginx has to be told")
        return lines.joined(separator: "\n").replacingOccurrences(of: "http://127.0.0.1:8080", with: "http://latchkey")
    }
}
