import Identity
import StoreSQL

/// Transactions that go out together on one connection: some that read and share a snapshot, some that write and share
/// a commit, or one that decides in between.
///
/// All members go through their rounds in step: what each sends in a round stands side by side, one sync ends it.
final class Group {
    let members: [any QueuedTransaction]
    let isWrite: Bool
    /// What the database was asked in this round and before, as far as it counts when the connection is lost.
    private(set) var hasSentCommit = false
    private(set) var isCommitted = false
    /// Whether everything that is still to come is the end of the transaction.
    private(set) var isEnding = false
    private var hasBegun = false
    private var slots: [Slot] = []
    private var position = 0
    private var rounds: [Round?] = []
    private var results: [[SQLResult]] = []
    private(set) var fault: (fault: PostgresFault, slot: Slot)?

    enum Slot {
        case begin
        case limits
        case statement(member: Int, index: Int, isGuarded: Bool)
        case commit
        case rollBack
    }

    init(_ members: [any QueuedTransaction], isWrite: Bool) {
        self.members = members
        self.isWrite = isWrite
        results = Array(repeating: [], count: members.count)
        rounds = Array(repeating: nil, count: members.count)
    }

    /// When the last member gives up.
    var end: ContinuousClock.Instant { members.map(\.end).max() ?? .now }

    // MARK: Sending

    /// Sends the next round of every member that has one.
    ///
    /// - Parameters:
    ///   - connection: where to.
    ///   - limits: what begins a transaction that writes on a connection that is not ours alone.
    /// - Returns: false when the connection is of no use.
    func sendRound(on connection: PostgresConnection, limits: SQL?) -> Bool {
        clear()
        for index in members.indices { rounds[index] = members[index].isAnswered ? nil : members[index].round }
        let next = rounds.compactMap { $0 }
        let endsHere = next.allSatisfy { $0.ending != .decision && $0.ending != .rollBack }
        // A statement by itself is a consistent read without being told so.
        let isImplicit = !isWrite && !hasBegun && next.allSatisfy { $0.ending == .value && $0.statements.count == 1 }
        if !hasBegun, !isImplicit {
            hasBegun = true
            guard send(isWrite ? Self.beginWrite : Self.beginRead, .begin, connection) else { return false }
            if isWrite, let limits, !send(limits, .limits, connection) { return false }
        }
        for index in members.indices {
            guard let round = rounds[index] else { continue }
            for (number, statement) in round.statements.enumerated() {
                let isGuarded = round.guards(number)
                slots.append(.statement(member: index, index: number, isGuarded: isGuarded))
                guard connection.send(statement, isGuarded: isGuarded) else { return false }
            }
        }
        if endsHere, hasBegun {
            hasSentCommit = true
            guard send(Self.commit, .commit, connection) else { return false }
        }
        return connection.sync()
    }

    /// Sends the end of a transaction whose members have all been answered, or will be tried again.
    func sendEnd(on connection: PostgresConnection) -> Bool {
        clear()
        isEnding = true
        guard hasBegun, !isCommitted else { return false }
        return send(Self.rollBack, .rollBack, connection) && connection.sync()
    }

    /// Whether a transaction is open in the database when a round is over.
    var isOpen: Bool { hasBegun && !isCommitted }

    private func clear() {
        slots.removeAll(keepingCapacity: true)
        position = 0
        fault = nil
        for index in results.indices { results[index].removeAll(keepingCapacity: true) }
    }

    private func send(_ sql: SQL, _ slot: Slot, _ connection: PostgresConnection) -> Bool {
        slots.append(slot)
        return connection.send(SQLStatement(sql, []))
    }

    // MARK: Receiving

    /// Takes what came next.
    ///
    /// - Returns: whether the round is over.
    func take(_ event: PostgresConnection.Event) -> Bool {
        switch event {
        case .sync: return true
        case .skipped: position += 1
        case .fault(let new):
            if fault == nil, slots.indices.contains(position) { fault = (new, slots[position]) }
            position += 1
        case .result(let result):
            defer { position += 1 }
            guard slots.indices.contains(position) else { break }
            switch slots[position] {
            case .statement(let member, _, _): results[member].append(result)
            case .commit: confirm()
            case .begin, .limits, .rollBack: break
            }
        }
        return false
    }

    /// The commit is done: every answer may leave.
    private func confirm() {
        isCommitted = true
        guard isWrite else { return }
        for (index, member) in members.enumerated() {
            do throws(StoreError) {
                if rounds[index]?.ending == .value { try member.take(results[index]) }
                member.succeed()
            } catch {
                member.fail(error)  // A row that cannot be read; what was done is done.
            }
        }
    }

    /// The results of a round without a fault become decisions; members that have come to their end are answered.
    ///
    /// - Returns: whether somebody has another round to go.
    func decide() -> Bool {
        for (index, member) in members.enumerated() {
            guard let round = rounds[index], !member.isAnswered else { continue }
            do throws(StoreError) {
                try round.check(results[index])
                try member.take(results[index])
                let next = member.round
                // Nothing is left to do for one that reads, nor for one that is undone.
                if next.ending == .rollBack || (!isWrite && next.ending == .commit && next.statements.isEmpty) {
                    member.succeed()
                }
            } catch {
                member.fail(error)
            }
        }
        return members.contains { !$0.isAnswered }
    }

    /// What the member at fault is answered with, when the group is that member alone.
    func answerFault(_ fault: PostgresFault, _ slot: Slot) {
        guard let member = members.first else { return }
        guard case .statement(let index, let number, let isGuarded) = slot,
            let round = rounds[index], round.statements.indices.contains(number)
        else { return member.fail(fault.error(.other)) }
        let statement = round.statements[number]
        guard isGuarded, fault.code == StatementText.guardCode else {
            return member.fail(fault.error(statement.conflict))
        }
        if let error = statement.otherwise { member.fail(error) } else { member.succeedOtherwise() }
    }

    /// Whether nothing of it can have been done, although the connection was lost.
    var isSurelyUndone: Bool {
        guard isWrite, hasSentCommit else { return true }
        // The server takes requests in order, and ended before this one was done.
        guard let fault, fault.fault.isFatal else { return false }
        if case .commit = fault.slot { return false }
        return true
    }

    private static let beginRead = SQL("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    private static let beginWrite = SQL("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    private static let commit = SQL("COMMIT")
    private static let rollBack = SQL("ROLLBACK")
}

extension Round {
    /// Whether the database has to undo it all when this statement changes no row, because the commit is on its way.
    fileprivate func guards(_ number: Int) -> Bool {
        switch ending {
        case .commitIfChanged: number == 0 || statements[number].otherwise != nil
        case .commit: statements[number].otherwise != nil
        case .decision, .value, .rollBack: false
        }
    }

    /// Finds the statement that should have changed a row and did not.
    fileprivate func check(_ results: [SQLResult]) throws(StoreError) {
        guard ending == .decision else { return }
        for (statement, result) in zip(statements, results) {
            if let otherwise = statement.otherwise, result.changes == 0, result.isEmpty { throw otherwise }
        }
    }
}
