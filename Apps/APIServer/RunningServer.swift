import Accounts
import Encodings
import HTTPAPI
import HTTPServer
import Identity
import Passkeys
import Settings
import Storage
import Tenancy
import Terminal
import Threads
import Tokens
import WebAuthn

/// A server from its start to its end: listens, answers until a signal, drains, closes.
struct RunningServer {
    let settings: Settings
    let log: Log
    /// Reads the settings again, for SIGHUP.
    let reload: @Sendable () throws -> Settings
    /// Changes the deployment before it listens, and what answers: `dev` makes its tenant here and puts pages before the
    /// API.
    var prepare: @Sendable (Deployment) async throws -> @Sendable (any HTTPHandler) -> any HTTPHandler = { _ in { $0 } }
    /// What happens to a store that an older version made, or that is empty.
    var schema = SchemaPolicy.upgrade
    /// Certificate and key other than the settings' own.
    var tls: TLSFiles?
    /// Called when everything listens, before the one line that says so.
    var whenReady: @Sendable () -> Void = {}

    /// Runs until SIGTERM or SIGINT.
    func run(signals: AsyncStream<Int32>) async throws -> ExitCode {
        let masterKeys: MasterKeys
        do throws(MasterKeyError) {
            masterKeys = try MasterKeyFile.read(settings.masterKeyFile.value ?? "")
        } catch { throw CommandFailure(error) }
        try MailDelivery.check(settings)
        ProcessTuning.keepFreedMemory()

        let server = try listeningServer(settings.listeners(tls: tls ?? settings.tlsFiles))
        defer { server.stop() }
        let adminServer = settings.adminListeners.isEmpty ? nil : try listeningServer(settings.adminListeners, loops: 1)
        defer { adminServer?.stop() }

        let deployment = try await Deployment(settings, schema: schema, masterKeys: masterKeys, log: log)
        let handler: any HTTPHandler
        let health = Health { await deployment.check() }
        let metrics = APIMetrics()
        do {
            let wrap = try await prepare(deployment)
            handler = wrap(api(deployment, health, metrics))
        } catch {
            await deployment.close()
            throw error
        }
        server.begin(handler)
        adminServer?.begin(
            AdminAPI(
                health: health,
                metrics: metrics,
                directory: deployment.directory,
                clock: SystemClock.now,
                stores: { deployment.observed },
                gauges: {
                    Self.gauges(server.metrics) + MetadataGauges.of(deployment.metadata, now: SystemClock.now())
                        + (deployment.mail?.gauges ?? [])
                }
            )
        )
        await readMetadata(deployment)
        let background = startBackground(deployment)
        whenReady()
        log.write(.info, "listening on \(urls(server))")
        await hintAtFirstTenant(deployment)

        await waitForEnd(signals, deployment, server)
        log.write(.info, "draining: what is in flight is answered, nothing new is taken")
        health.drain()
        let isClean = await server.drain(timeout: settings.deadlines.drain.value)
        if !isClean { log.write(.warning, "the drain's time was over before all was answered") }
        for task in background { task.cancel() }
        for task in background { await task.value }
        server.stop()
        adminServer?.stop()
        await deployment.close()
        log.write(.info, "stopped")
        return .done
    }

    private func listeningServer(_ listeners: [ListenerConfiguration], loops: Int? = nil) throws -> HTTPServer {
        var configuration = ServerConfiguration(listeners: listeners, loopCount: loops)
        configuration.limits = settings.serverLimits
        configuration.faultResponse = API.faultResponse
        let log = log
        configuration.onEvent = { event in
            switch event {
            case .certificateReloaded(let path):
                log.write(.info, "certificate read again", ["path": .string(path)])
            case .certificateNotReloaded(let error):
                log.write(.error, "the new certificate is not used: \(CommandFailure(error).message)")
            case .cannotAccept(let reason):
                log.write(.error, "a connection could not be accepted: \(reason)")
            }
        }
        do throws(ServerError) {
            let server = try HTTPServer(configuration)
            do throws(ServerError) {
                try server.listen()
            } catch {
                server.stop()
                throw error
            }
            return server
        } catch { throw CommandFailure(error) }
    }

    private func api(_ deployment: Deployment, _ health: Health, _ metrics: APIMetrics) -> API {
        let log = log
        return API(
            services: deployment.services,
            proxies: settings.proxies,
            health: health,
            metrics: metrics,
            clock: SystemClock.now,
            storeTime: settings.deadlines.store.value,
            handlingTime: settings.deadlines.handling.value
        ) { summary in
            let level: LogLevel = summary.status >= 500 ? .error : .debug
            guard log.isOn(level) else { return }
            log.write(
                level,
                "request",
                [
                    "request_id": .string(summary.id), "tenant": summary.tenant.map { .string($0) } ?? .null,
                    "method": .string(summary.method), "path": .string(summary.path),
                    "status": .integer(Int64(summary.status)), "reason": summary.reason.map { .string($0) } ?? .null,
                    "detail": summary.detail.map { .string($0) } ?? .null,
                    "trace_id": summary.ceremony.map { .string($0.text) } ?? .null,
                    "address": .string(summary.address),
                    "auth0_client": summary.sdk.map { .string($0) } ?? .null, "ms": .integer(summary.milliseconds),
                ]
            )
        }
    }

    /// Reads the metadata of authenticators when there is other than before, and says so.
    private func readMetadata(_ deployment: Deployment) async {
        do throws(StoreError) {
            guard try await deployment.metadata.refresh(), let metadata = deployment.metadata.current else { return }
            log.write(.info, "metadata of authenticators read: number \(metadata.number), \(metadata.count) models")
            warnOfStaleMetadata(deployment)
        } catch {
            log.write(.error, "the metadata of authenticators was not read, the last stays in use: \(error)")
        }
    }

    private func warnOfStaleMetadata(_ deployment: Deployment) {
        guard let metadata = deployment.metadata.current, metadata.isStale(at: SystemClock.now().seconds) else {
            return
        }
        log.write(
            .warning,
            "the metadata of authenticators is stale: there should be newer than number \(metadata.number) since "
                + "\(metadata.nextUpdate). It stays in use; get the new one with latchkey-admin mds import"
        )
    }

    private func startBackground(_ deployment: Deployment) -> [Task<Void, Never>] {
        [
            Task { await deployment.refusals.run() },
            Task { await watchKeys(deployment) },
            Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(5))
                    await readMetadata(deployment)
                }
            },
            Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(86_400))
                    warnOfStaleMetadata(deployment)
                }
            },
            Task {
                while !Task.isCancelled {
                    // One after the other; where there is none, or the store does not answer, a second goes by.
                    if (try? await deployment.jobs.runOne()) != true { try? await Task.sleep(for: .seconds(1)) }
                }
            },
            Task {
                while !Task.isCancelled {
                    await deployment.sweep()
                    try? await Task.sleep(for: .seconds(60))
                }
            },
            Task { await sealAudit(deployment) },
            Task { await deployment.mail?.run() },
            Task {
                while !Task.isCancelled {
                    await deployment.retireKeys()
                    try? await Task.sleep(for: .seconds(3600))
                }
            },
        ]
    }

    /// Looks every few seconds whether the store's keys are still those that this server opened, and says what has
    /// changed. With others it is not ready, and stays so until it is started again.
    private func watchKeys(_ deployment: Deployment) async {
        var last = DeploymentWatch.Finding.same
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(5))
            guard !Task.isCancelled, let finding = await deployment.lookAtKeys(settings.masterKeyFile.value ?? ""),
                finding != last
            else { continue }
            last = finding
            switch finding {
            case .same:
                log.write(.info, "the store is sealed by a master key that this server has")
            case .sealedByUnknown(let id):
                log.write(
                    .warning,
                    "the store is sealed by master key \(id) now, which this server's master key file does not have: it goes "
                        + "on, and could not start again. Give it the file"
                )
            case .replaced:
                log.write(
                    .error,
                    "the store has begun anew with another data key (master-key replace-lost): this server is not ready any "
                        + "more. Start it again, with the master key file that belongs to the store"
                )
            }
        }
    }

    /// Seals the audit logs once a second; less often where that takes long, so that it is at most a fiftieth of the work.
    private func sealAudit(_ deployment: Deployment) async {
        var isFailing = false
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do throws(StoreError) {
                try await deployment.sealAudit()
                isFailing = false
            } catch {
                // Told once; what cannot be reached comes back.
                if !isFailing { log.write(.warning, "the audit log is not sealed: \(error)") }
                isFailing = true
            }
            try? await Task.sleep(for: max(.seconds(1), (ContinuousClock.now - start) * 50))
        }
    }

    /// On an empty store: what to type.
    private func hintAtFirstTenant(_ deployment: Deployment) async {
        guard let tenants = try? await deployment.store.tenants(), tenants.isEmpty else { return }
        log.write(
            .info,
            "there is no tenant yet: make one with latchkey-admin tenant create NAME --domain HOST"
        )
    }

    private func waitForEnd(_ signals: AsyncStream<Int32>, _ deployment: Deployment, _ server: HTTPServer) async {
        for await signal in signals {
            guard signal == Signal.hangUp else { return }
            do {
                let newer = try reload()
                let changes = settings.changes(to: newer)
                deployment.liveRateLimits.value = newer.servedRateLimits
                log.set(level: newer.logLevel.value)
                try server.reloadTLS()
                let what = changes.description
                log.write(.info, what.isEmpty ? "settings read again: nothing has changed" : what)
            } catch {
                log.write(.error, "the settings were not read again: \(error)")
            }
        }
    }

    private func urls(_ server: HTTPServer) -> String {
        let scheme = (tls ?? settings.tlsFiles) == nil ? "http" : "https"
        return settings.listen.value.enumerated().map { index, address in
            switch address {
            case .unix(let path): "unix:\(path)"
            case .loopback(let port): "\(scheme)://localhost:\(port)"
            case .address(let address, let port):
                "\(scheme)://\(ConfiguredAddress.address(address, port: port))"
            }
        }
        .joined(separator: ", ")
    }

    private static func gauges(_ metrics: ServerMetrics) -> [AdminAPI.Gauge] {
        [
            .init(
                name: "latchkey_connections",
                help: "Open connections.",
                kind: "gauge",
                value: metrics.connectionsOpen
            ),
            .init(
                name: "latchkey_connections_total",
                help: "Connections accepted.",
                kind: "counter",
                value: metrics.connectionsAccepted
            ),
            .init(
                name: "latchkey_requests_in_flight",
                help: "Requests being handled.",
                kind: "gauge",
                value: metrics.requestsInFlight
            ),
            .init(
                name: "latchkey_refused_by_cap_total",
                help: "Connections and requests refused by a cap.",
                kind: "counter",
                value: metrics.refusedByCap
            ),
            .init(
                name: "latchkey_timeouts_total",
                help: "Connections and requests that took too long.",
                kind: "counter",
                value: metrics.timeouts
            ),
            .init(
                name: "latchkey_received_bytes_total",
                help: "Bytes read.",
                kind: "counter",
                value: metrics.bytesReceived
            ),
            .init(name: "latchkey_sent_bytes_total", help: "Bytes written.", kind: "counter", value: metrics.bytesSent),
        ]
    }
}

/// The signals that the server knows.
enum Signal {
    static let hangUp: Int32 = 1
    static let interrupt: Int32 = 2
    static let terminate: Int32 = 15
    static let all = [hangUp, interrupt, terminate]
}
