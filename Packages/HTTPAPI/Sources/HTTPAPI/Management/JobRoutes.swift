import Accounts
import Encodings
import HTTPServer
import Identity
import Tokens

/// Users in and out by jobs (contract 11.17).
struct JobRoutes: Sendable {
    let api: ManagementAPI

    /// The path that takes large bodies.
    static let importPath = "/api/v2/jobs/users-imports"
    /// Bytes that a file may have. The body is in memory before its token was looked at, so that it cannot be as large as
    /// it might be were it streamed.
    static let maximumFile = 8 << 20

    var endpoints: [Endpoint] {
        let reading = ManagementAPI.Needs.any(["create:users", "read:users"])
        return [
            Endpoint(
                .post,
                "/api/v2/jobs/users-imports",
                shape: .management,
                run: api.action("create:users", importUsers)
            ),
            Endpoint(
                .post,
                "/api/v2/jobs/users-exports",
                shape: .management,
                run: api.action("read:users", exportUsers)
            ),
            Endpoint(.get, "/api/v2/jobs/{id}", shape: .management, run: api.action(reading, read)),
            Endpoint(.get, "/api/v2/jobs/{id}/errors", shape: .management, run: api.action(reading, errors)),
            Endpoint(
                .get,
                "/api/v2/jobs/{id}/result",
                shape: .management,
                run: api.action("read:users", result)
            ),
        ]
    }

    private func importUsers(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        guard let boundary = MultipartForm.boundary(call.exchange.header("content-type")) else {
            throw .unsupportedMediaType
        }
        guard let form = await MultipartForm(call.exchange.request.body, boundary: boundary) else {
            throw .management(400, "invalid_body", "The body is not valid multipart/form-data")
        }
        let known = ["users", "connection_id", "upsert", "external_id", "send_completion_email", "dry_run"]
        if let part = form.parts.first(where: { part in !known.contains { $0 == part.name } }) {
            throw .body(.unknownMember(path: APIError.bounded(part.name)))
        }
        let users = try ManagementCall.required("users", form["users"])
        guard users.count <= Self.maximumFile else { throw .bodyTooLarge }
        guard users.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "[") else {
            throw .management(400, "invalid_body", "Payload validation error: users is not a JSON array.")
        }
        let connection = try connection(try ManagementCall.required("connection_id", form["connection_id"]), call)
        guard try !Self.bool("send_completion_email", form) else {
            throw .management(
                400,
                "operation_not_supported",
                "send_completion_email: this server sends no mail yet."
            )
        }
        let brings = call.has("create:authentication_methods")
        // However the name is written: what gets past this is refused user by user.
        if !brings, await MultipartForm.find(Array("\"passkeys\"".utf8), in: users) != nil {
            throw .insufficientScope(["create:authentication_methods"], all: true, base: call.exchange.context.base)
        }
        var parameters: JSONObject = [
            "upsert": .bool(try Self.bool("upsert", form)), "dry_run": .bool(try Self.bool("dry_run", form)),
            "size": .integer(Int64(users.count)), "passkeys": .bool(brings),
        ]
        if let external = form["external_id"], !external.isEmpty {
            guard let text = String(validating: external, as: UTF8.self), text.utf8.count <= 200 else {
                throw .management(
                    400,
                    "invalid_body",
                    "Payload validation error: 'Invalid value on property external_id'."
                )
            }
            parameters.set("external_id", .string(text))
        }
        let job = job(.usersImport, .receiving, connection, parameters, call)
        try await keep(users, of: job, call)
        return .json(status: 202) { $0.value(.object(Self.document(job, call))) }
    }

    /// Puts the file into the store, part by part. That takes as long as a disk takes for it, and not what other requests
    /// may wait for stores.
    private func keep(_ file: ArraySlice<UInt8>, of job: Job, _ call: ManagementCall) async throws(APIError) {
        let jobs = call.services.jobs
        let kept: Result<Void, StoreError> = await StoreBudget.$current.withValue(StoreBudget(.seconds(50))) {
            do throws(StoreError) {
                try await jobs.add(job, audit: call.event(status: 202))
                var rest = file
                var number = 0
                while !rest.isEmpty {
                    let part = Array(rest.prefix(JobWorker.partSize))
                    try await jobs.addPart(part, number: number, of: job.id, tenant: job.tenant)
                    rest = rest.dropFirst(JobWorker.partSize)
                    number += 1
                }
                _ = try await jobs.release(job.id, tenant: job.tenant)
                return .success(())
            } catch { return .failure(error) }
        }
        if case .failure(let error) = kept { throw APIError(error) }
    }

    private func exportUsers(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let body = try call.body()
        try ManagementCall.only("connection_id", "format", "limit", "fields", in: body)
        var connection: Connection?
        if let id = try ManagementCall.text("connection_id", of: body) {
            connection = try self.connection(Array(id.utf8)[...], call)
        }
        let format = try ManagementCall.text("format", of: body) ?? "json"
        guard ["json", "csv"].contains(format) else { throw ManagementCall.invalid("format", .string(format)) }
        var parameters: JSONObject = ["format": .string(format)]
        if let limit = body["limit"], !limit.isNull {
            guard let number = limit.integer, number >= 1 else { throw ManagementCall.invalid("limit", limit) }
            parameters.set("limit", limit)
        }
        if let fields = body["fields"], !fields.isNull {
            guard let list = fields.array, (1...100).contains(list.count) else {
                throw ManagementCall.invalid("fields", fields)
            }
            for field in list {
                guard let object = field.object else { throw ManagementCall.invalid("fields", field) }
                try ManagementCall.only("name", "export_as", in: object)
                _ = try ManagementCall.required("name", try ManagementCall.text("name", of: object))
                _ = try ManagementCall.text("export_as", of: object)
            }
            parameters.set("fields", fields)
        }
        // The whole of each user has the passkeys too, for who may see them: so it can be imported again.
        if format == "json", parameters["fields"] == nil, call.has("read:authentication_methods") {
            parameters.set("passkeys", true)
        }
        let job = job(.usersExport, .pending, connection, parameters, call)
        do throws(StoreError) {
            try await call.services.jobs.add(job, audit: call.event(status: 200))
        } catch { throw APIError(error) }
        return .json { $0.value(.object(Self.document(job, call))) }
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let job = try await job(call)
        var document = Self.document(job, call)
        if job.kind == .usersExport, job.status == .completed, job.client == call.caller.client.id {
            let secret: String?
            do throws(StoreError) {
                secret = try await call.services.jobResults.offer(job.id, of: call.tenant, now: call.now)
            } catch { throw APIError(error) }
            if let secret {
                let base = call.exchange.context.base
                document.set("location", .string("\(base)/api/v2/jobs/\(job.id.text)/result?key=\(secret)"))
            }
        }
        return try call.answer(document)
    }

    private func errors(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let job = try await job(call)
        let found: [JSONObject]
        do throws(StoreError) {
            found = try await call.services.jobs.errors(
                of: job.id,
                tenant: call.tenant,
                limit: JobWorker.maximumErrors
            )
        } catch { throw APIError(error) }
        guard !found.isEmpty else { return try call.nothing() }
        return .json { $0.value(.array(found.map { .object($0) })) }
    }

    /// What an export made, once, to the client that asked for it.
    private func result(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let key = call.query.text("key") else { throw .query("Missing required property: key") }
        _ = try call.fields()
        let job = try await job(call)
        guard job.client == call.caller.client.id else { throw .nothingThere }
        var content: [UInt8] = []
        let isTaken: Bool
        do throws(StoreError) {
            isTaken = try await call.services.jobResults.take(job.id, secret: key, of: call.tenant, now: call.now)
            var number = 0
            while isTaken, let part = try await call.services.jobs.part(number, of: job.id, tenant: call.tenant) {
                content += part
                number += 1
            }
        } catch { throw APIError(error) }
        guard isTaken else { throw .nothingThere }
        let isCSV = job.parameters["format"]?.string == "csv"
        var response = HTTPResponse(status: 200, body: content)
        response.headers.add("Content-Type", isCSV ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8")
        response.headers.add(
            "Content-Disposition",
            "attachment; filename=\"\(job.id.text).\(isCSV ? "csv" : "json")\""
        )
        return response
    }

    // MARK: Parts

    private func job(_ call: ManagementCall) async throws(APIError) -> Job {
        let job: Job?
        do throws(StoreError) {
            job = try await call.services.jobs.job(JobID(call.path("id")), of: call.tenant)
        } catch { throw APIError(error) }
        guard let job else { throw .nothingThere }
        return job
    }

    private func job(
        _ kind: Job.Kind,
        _ status: Job.Status,
        _ connection: Connection?,
        _ parameters: JSONObject,
        _ call: ManagementCall
    ) -> Job {
        Job(
            id: JobID(random: call.services.random(12)),
            tenant: call.tenant,
            kind: kind,
            connection: connection?.id,
            client: call.caller.client.id,
            parameters: parameters,
            status: status,
            createdAt: call.now
        )
    }

    private func connection(_ id: ArraySlice<UInt8>, _ call: ManagementCall) throws(APIError) -> Connection {
        let text = String(decoding: id.prefix(100), as: UTF8.self)
        guard let connection = call.configuration.connection(ConnectionID(text)) else {
            throw .management(
                400,
                "invalid_body",
                "Payload validation error: the connection \"\(APIError.bounded(text))\" does not exist."
            )
        }
        return connection
    }

    private static func bool(_ name: String, _ form: MultipartForm) throws(APIError) -> Bool {
        guard let content = form[name], !content.isEmpty else { return false }
        if content.elementsEqual("true".utf8) { return true }
        if content.elementsEqual("false".utf8) { return false }
        throw ManagementCall.invalid(name, .string(String(decoding: content.prefix(50), as: UTF8.self)))
    }

    private static func document(_ job: Job, _ call: ManagementCall) -> JSONObject {
        // That the file is still being stored is nobody's business.
        let status = job.status == .receiving ? Job.Status.pending : job.status
        var document: JSONObject = [
            "status": .string(status.rawValue), "type": .string(job.kind.rawValue),
            "created_at": .string(job.createdAt.rfc3339), "id": .string(job.id.text),
        ]
        if let connection = job.connection {
            document.set("connection_id", .string(connection.text))
            if let name = call.configuration.connection(connection)?.name { document.set("connection", .string(name)) }
        }
        for name in ["external_id", "upsert", "dry_run", "format", "limit", "fields"] {
            if let value = job.parameters[name], value != false { document.set(name, value) }
        }
        document.set("percentage_done", .integer(job.progress.percent))
        if let reason = job.reason { document.set("status_details", .string(reason)) }
        if job.kind == .usersImport, job.status.isOver || job.progress.total > 0 {
            let progress = job.progress
            document.set(
                "summary",
                [
                    "failed": .integer(progress.failed), "updated": .integer(progress.updated),
                    "inserted": .integer(progress.inserted), "total": .integer(progress.total),
                ]
            )
        }
        return document
    }
}
