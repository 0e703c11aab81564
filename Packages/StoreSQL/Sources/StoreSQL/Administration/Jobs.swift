public import Encodings
public import Identity

extension SQLStore {
    public func add(_ job: Job, audit: AuditEvent) async throws(StoreError) {
        let insert = SQLStatement(
            Self.insertJob,
            [
                .tenant(job.tenant), .text(job.id.text), .text(job.kind.rawValue),
                .text(ifAny: job.connection?.text), .text(ifAny: job.client?.text), .document(job.parameters),
                .text(job.status.rawValue), .integer(job.progress.percent), .integer(job.progress.total),
                .integer(job.progress.inserted), .integer(job.progress.updated), .integer(job.progress.failed),
                .text(ifAny: job.reason), .time(job.createdAt), .time(job.createdAt),
            ]
        )
        try await database.write(.commit([insert, Self.insert(audit)], ()))
    }

    public func addPart(_ content: [UInt8], number: Int, of job: JobID, tenant: TenantID) async throws(StoreError) {
        let insert = SQLStatement(
            Self.insertPart,
            [.tenant(tenant), .text(job.text), .integer(Int64(number)), .bytes(content)]
        )
        try await database.write(.commit([insert], ()))
    }

    public func part(_ number: Int, of job: JobID, tenant: TenantID) async throws(StoreError) -> [UInt8]? {
        let select = SQLStatement(
            Self.selectPart,
            [.tenant(tenant), .text(job.text), .integer(Int64(number))]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.bytes() }
            }
        )
    }

    public func release(_ job: JobID, tenant: TenantID) async throws(StoreError) -> Bool {
        let release = SQLStatement(Self.releaseJob, [.tenant(tenant), .text(job.text)])
        return try await database.write(.commitIfChanged(release, [], true, otherwise: false))
    }

    public func job(_ id: JobID, of tenant: TenantID) async throws(StoreError) -> Job? {
        try await database.read(
            .query(SQLStatement(Self.selectJob, [.tenant(tenant), .text(id.text)])) { (results) throws(StoreError) in
                try results.first.first(Self.job)
            }
        )
    }

    public func errors(of job: JobID, tenant: TenantID, limit: Int) async throws(StoreError) -> [JSONObject] {
        let select = SQLStatement(
            Self.selectErrors,
            [.tenant(tenant), .text(job.text), .integer(Int64(max(0, limit)))]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in try row.document() }
            }
        )
    }

    public func offer(
        linkHash: [UInt8],
        until end: UnixTime,
        of job: JobID,
        tenant: TenantID
    ) async throws(StoreError) -> Bool {
        let offer = SQLStatement(
            Self.offerLink,
            [.bytes(linkHash), .time(end), .tenant(tenant), .text(job.text)]
        )
        return try await database.write(.commitIfChanged(offer, [], true, otherwise: false))
    }

    public func take(
        linkHash: [UInt8],
        of job: JobID,
        tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        let take = SQLStatement(
            Self.takeLink,
            [.tenant(tenant), .text(job.text), .bytes(linkHash), .time(now)]
        )
        return try await database.write(.commitIfChanged(take, [], true, otherwise: false))
    }

    public func takeJob(worker: String, now: UnixTime) async throws(StoreError) -> Job? {
        // Of two that see the same job the second finds it taken, and looks whether another one waits.
        for _ in 0..<Self.looks {
            // Servers ask every second: while nothing waits, nothing is written.
            let waits = try await database.read(.query(SQLStatement(Self.findWaiting, [])) { !$0.first.isEmpty })
            guard waits else { return nil }
            let taken = try await database.write(
                .run(SQLStatement(Self.takeOldest, [.text(worker), .time(now)])) { (results) throws(StoreError) in
                    .commit([], try results.first.first(Self.job))
                }
            )
            if let taken { return taken }
        }
        return nil
    }

    /// How often a worker looks that others were faster than.
    private static let looks = 10

    public func note(
        _ progress: JobProgress,
        errors: [JSONObject],
        of job: Job,
        worker: String,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        let note = SQLStatement(
            Self.noteProgress,
            [
                .integer(progress.percent), .integer(progress.total), .integer(progress.inserted),
                .integer(progress.updated), .integer(progress.failed), .time(now), .tenant(job.tenant),
                .text(job.id.text), .text(worker),
            ]
        )
        let key: [SQLValue] = [.tenant(job.tenant), .text(job.id.text)]
        let inserts = errors.map { SQLStatement(Self.insertError, key + key + [.document($0)]) }
        return try await database.write(.commitIfChanged(note, inserts, true, otherwise: false))
    }

    public func finish(
        _ job: Job,
        _ status: Job.Status,
        reason: String?,
        worker: String,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        let key: [SQLValue] = [.tenant(job.tenant), .text(job.id.text)]
        let finish = SQLStatement(
            Self.finishJob,
            [.text(status.rawValue), .text(ifAny: reason), .time(now)] + key + [.text(worker)]
        )
        let keepsParts = job.kind == .usersExport && status == .completed
        let effects = keepsParts ? [] : [SQLStatement(Self.deleteParts, key)]
        return try await database.write(.commitIfChanged(finish, effects, true, otherwise: false))
    }

    public func failAbandoned(
        silentSince time: UnixTime,
        reason: String,
        now: UnixTime
    ) async throws(StoreError) {
        for key in try await keys(SQLStatement(Self.findAbandoned, [.time(time)])) {
            // Not when it gave a sign of life in between.
            let fail = SQLStatement(Self.failJob, [.text(reason), .time(now)] + key + [.time(time)])
            try await database.write(
                .commitIfChanged(fail, [SQLStatement(Self.deleteParts, key)], (), otherwise: ())
            )
        }
    }

    public func removeJobs(madeBefore time: UnixTime) async throws(StoreError) {
        let statements = try await keys(SQLStatement(Self.findOldJobs, [.time(time)])).flatMap { key in
            [Self.deleteParts, Self.deleteErrors, Self.deleteJob].map { SQLStatement($0, key) }
        }
        if !statements.isEmpty { try await database.write(.commit(statements, ())) }
    }

    /// Tenant and id of each job that `find` finds.
    private func keys(_ find: SQLStatement) async throws(StoreError) -> [[SQLValue]] {
        try await database.read(
            .query(find) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in row.rest() }
            }
        )
    }

    private static func job(_ row: inout SQLRow) throws(StoreError) -> Job {
        let (tenant, id) = (try row.tenant(), JobID(try row.text()))
        let kind: Job.Kind = try row.word()
        let connection = try row.textIfAny().map { ConnectionID($0) }
        let client = try row.textIfAny().map { ClientID($0) }
        let parameters = try row.document()
        let status: Job.Status = try row.word()
        var progress = JobProgress()
        progress.percent = try row.integer()
        progress.total = try row.integer()
        progress.inserted = try row.integer()
        progress.updated = try row.integer()
        progress.failed = try row.integer()
        return Job(
            id: id,
            tenant: tenant,
            kind: kind,
            connection: connection,
            client: client,
            parameters: parameters,
            status: status,
            progress: progress,
            reason: try row.textIfAny(),
            createdAt: try row.time()
        )
    }

    /// The columns of ``job(_:)`` in its order.
    private static let jobColumns = """
        tenant_id, id, kind, connection_id, client_id, parameters, status, percent, total, inserted, updated, failed,
        reason, created_at
        """
    private static let insertJob = SQL(
        """
        INSERT INTO job
            (tenant_id, id, kind, connection_id, client_id, parameters, status, percent, total, inserted, updated,
            failed, reason, seen_at, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    private static let selectJob = SQL("SELECT \(jobColumns) FROM job WHERE tenant_id = ? AND id = ?")
    private static let releaseJob = SQL(
        "UPDATE job SET status = 'pending' WHERE tenant_id = ? AND id = ? AND status = 'receiving'"
    )
    private static let findWaiting = SQL("SELECT 1 FROM job WHERE status = 'pending' LIMIT 1")
    /// Of two workers that see the same job, the second finds it taken.
    private static let takeOldest = SQL(
        """
        UPDATE job SET status = 'processing', worker = ?, seen_at = ?
        WHERE (tenant_id, id) IN (
                SELECT o.tenant_id, o.id FROM job o WHERE o.status = 'pending' ORDER BY o.created_at LIMIT 1)
            AND status = 'pending'
        RETURNING \(jobColumns)
        """
    )
    private static let noteProgress = SQL(
        """
        UPDATE job SET percent = ?, total = ?, inserted = ?, updated = ?, failed = ?, seen_at = ?
        WHERE tenant_id = ? AND id = ? AND worker = ? AND status = 'processing'
        """
    )
    private static let insertError = SQL(
        """
        INSERT INTO job_error (tenant_id, job_id, number, error)
        SELECT ?, ?, (SELECT COALESCE(MAX(e.number) + 1, 0) FROM job_error e WHERE e.tenant_id = ? AND e.job_id = ?), ?
        """
    )
    private static let selectErrors = SQL(
        "SELECT error FROM job_error WHERE tenant_id = ? AND job_id = ? ORDER BY number LIMIT ?"
    )
    private static let finishJob = SQL(
        """
        UPDATE job SET status = ?, reason = ?, seen_at = ?, percent = 100
        WHERE tenant_id = ? AND id = ? AND worker = ? AND status = 'processing'
        """
    )
    private static let findAbandoned = SQL(
        """
        SELECT tenant_id, id FROM job WHERE status IN ('receiving', 'processing') AND seen_at < ? LIMIT 100
        """
    )
    private static let failJob = SQL(
        """
        UPDATE job SET status = 'failed', reason = ?, seen_at = ?
        WHERE tenant_id = ? AND id = ? AND status IN ('receiving', 'processing') AND seen_at < ?
        """
    )
    private static let findOldJobs = SQL("SELECT tenant_id, id FROM job WHERE created_at < ? LIMIT 100")
    private static let deleteJob = SQL("DELETE FROM job WHERE tenant_id = ? AND id = ?")
    private static let deleteErrors = SQL("DELETE FROM job_error WHERE tenant_id = ? AND job_id = ?")
    private static let deleteParts = SQL("DELETE FROM job_part WHERE tenant_id = ? AND job_id = ?")
    private static let insertPart = SQL(
        "INSERT INTO job_part (tenant_id, job_id, number, content) VALUES (?, ?, ?, ?)"
    )
    private static let selectPart = SQL(
        "SELECT content FROM job_part WHERE tenant_id = ? AND job_id = ? AND number = ?"
    )
    private static let offerLink = SQL(
        """
        UPDATE job SET link_hash = ?, link_expires_at = ?
        WHERE tenant_id = ? AND id = ? AND status = 'completed' AND kind = 'users_export'
        """
    )
    private static let takeLink = SQL(
        """
        UPDATE job SET link_hash = NULL, link_expires_at = NULL
        WHERE tenant_id = ? AND id = ? AND link_hash = ? AND link_expires_at > ?
        """
    )
}
