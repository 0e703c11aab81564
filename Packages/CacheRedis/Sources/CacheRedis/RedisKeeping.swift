/// Whether the server keeps what it should forget, or forgets what it should keep.
///
/// A challenge is good for one use. A server that writes snapshots or a log brings taken ones back when it reads them in
/// after a crash; one that evicts loses live ones.
enum RedisKeeping {
    static let questions = ["save", "appendonly", "maxmemory-policy"].map { RedisCommand("CONFIG", "GET", $0) }

    /// What the operator should know, from the replies to ``questions`` in their order.
    static func warnings(_ replies: [RedisReply], _ location: RedisLocation) -> [String] {
        guard replies.count == questions.count, let save = value(replies[0]), let log = value(replies[1]),
            let policy = value(replies[2])
        else {
            return [
                "\(location) does not say whether it writes snapshots (CONFIG GET is refused). It must not: a snapshot "
                    + "that is read in again brings back challenges that were used already."
            ]
        }
        var warnings: [String] = []
        if !save.isEmpty {
            warnings.append(
                "\(location) writes snapshots (save is \"\(save)\"): one that is read in after a crash brings back "
                    + "challenges that were used already. Set: save \"\""
            )
        }
        if log != "no" {
            warnings.append(
                "\(location) writes a log of its commands (appendonly is \(log)): what its end has lost brings back "
                    + "challenges that were used already. Set: appendonly no"
            )
        }
        if policy != "noeviction" {
            warnings.append(
                "\(location) evicts (maxmemory-policy is \(policy)): ceremonies under way are lost when it is full. "
                    + "Set: maxmemory-policy noeviction"
            )
        }
        return warnings
    }

    /// `CONFIG GET name` answers name and value.
    private static func value(_ reply: RedisReply) -> String? {
        guard case .list(let parts) = reply, parts.count == 2 else { return nil }
        return parts[1].text
    }
}
