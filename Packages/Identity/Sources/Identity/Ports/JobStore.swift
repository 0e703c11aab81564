public import Encodings

/// Keeps jobs for those who ask for them.
public protocol JobStore: Sendable {
    /// Keeps a new job with its record. One that is `receiving` waits for its parts.
    func add(_ job: Job, audit: AuditEvent) async throws(StoreError)
    /// Keeps one part of what a job works on or gives; they are numbered from 0.
    func addPart(_ content: [UInt8], number: Int, of job: JobID, tenant: TenantID) async throws(StoreError)
    func part(_ number: Int, of job: JobID, tenant: TenantID) async throws(StoreError) -> [UInt8]?
    /// Lets a job begin whose parts are all there.
    ///
    /// - Returns: false when it is not `receiving`.
    func release(_ job: JobID, tenant: TenantID) async throws(StoreError) -> Bool
    func job(_ id: JobID, of tenant: TenantID) async throws(StoreError) -> Job?
    /// What went wrong with single users, in the order it was found.
    func errors(of job: JobID, tenant: TenantID, limit: Int) async throws(StoreError) -> [JSONObject]
}

/// Gives what a finished job made, once.
public protocol JobResultStore: Sendable {
    /// Makes the holder of the secret whose SHA-256 is `linkHash` the one who gets it; an earlier one no longer does.
    ///
    /// - Returns: false when there is no such job, or it is not completed.
    func offer(
        linkHash: [UInt8],
        until end: UnixTime,
        of job: JobID,
        tenant: TenantID
    ) async throws(StoreError) -> Bool
    /// Takes the offer back: of two who come with it, one gets it.
    func take(linkHash: [UInt8], of job: JobID, tenant: TenantID, now: UnixTime) async throws(StoreError) -> Bool
}

/// Gives jobs to the servers that do them.
public protocol JobQueue: Sendable {
    /// Takes the oldest job that waits: it is this worker's from then on, and nobody else's.
    func takeJob(worker: String, now: UnixTime) async throws(StoreError) -> Job?
    /// Notes how far the worker has come and that it lives, with the errors found since.
    ///
    /// - Returns: false when the job is not this worker's.
    func note(
        _ progress: JobProgress,
        errors: [JSONObject],
        of job: Job,
        worker: String,
        now: UnixTime
    ) async throws(StoreError) -> Bool
    /// Ends the job. Of an import the parts go, for they may hold password hashes.
    ///
    /// - Returns: false when the job is not this worker's.
    func finish(
        _ job: Job,
        _ status: Job.Status,
        reason: String?,
        worker: String,
        now: UnixTime
    ) async throws(StoreError) -> Bool
    /// Ends as failed what no worker has given a sign of since `time`: its server is gone.
    func failAbandoned(silentSince time: UnixTime, reason: String, now: UnixTime) async throws(StoreError)
    /// Removes jobs that were made before `time`, with all that they hold.
    func removeJobs(madeBefore time: UnixTime) async throws(StoreError)
}
