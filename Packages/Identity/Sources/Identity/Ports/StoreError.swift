/// Why a store did not do what was asked. The same closed list for every adapter (SQLite's extended codes, SQLSTATE
/// classes and Redis prefixes are mapped to it).
///
/// `reason` is for the operator's log: one line, bounded, without row contents.
public enum StoreError: Error, Hashable, Sendable {
    /// Somebody else holds what is needed, and the wait was over; nothing was done.
    case busy(reason: String)
    /// No room: the disk, or the cache's own cap; nothing was done.
    case full(reason: String)
    /// One client or one address holds its share of the challenge cache; nothing was done.
    case overQuota(reason: String)
    case readOnly(reason: String)
    case io(reason: String)
    case corrupt(reason: String)
    /// A unique key is taken; nothing was done.
    case unique(Conflict)
    case constraint(reason: String)
    /// Surely not done: the store could not be reached.
    case unavailable(reason: String)
    /// Sent, and the answer was lost: it may have been done.
    case unknownOutcome(reason: String)

    /// Which unique key is taken.
    public enum Conflict: String, Hashable, Sendable {
        case identifier, credential, userHandle, tenantName, domainHost, relyingPartyID, connectionName, clientID
        case resourceServer, clientGrant, signingKey, user
        /// The ceremony ended before.
        case ceremony
        case other
    }
}
