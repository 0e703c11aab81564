import Identity
import StoreSQL

/// Whether the schema of a backup is one that this build runs on, with nothing in it that acts by itself.
enum BackupSchema {
    /// Looks at the copy `part` of the backup `file`.
    ///
    /// A backup of an older version is taken as far as an upgrade takes it; tables and indexes of an operator's own
    /// are left alone.
    ///
    /// - Throws: `.schema`, `.damaged`, `.open`.
    static func verify(_ part: String, of file: String) throws(SQLiteBackupError) {
        let status = try SQLiteBackup.at(file) { () throws(StoreError) in
            var copy = try SQLiteConnection(path: part, .readOnly, patience: 0)
            return try copy.read(Schema.look(.sqlite))
        }
        if let fault = status.fault { throw .schema(path: file, fault) }
        guard status.number > 0 else { throw .damaged(path: file, reason: "it has no schema") }
        try SQLiteBackup.at(file) { () throws(StoreError) in
            var copy = try SQLiteConnection(path: part, .readOnly, patience: 0)
            if let foreign = try copy.run(SQLStatement(findForeign, [])).first({ (row) throws(StoreError) in
                try row.text() + " " + row.text()
            }) {
                throw .corrupt(reason: "its schema has a part that no version makes: \(foreign.prefix(100))")
            }
            // Of a newer version's schema only that version knows the parts.
            guard status.number <= Schema.newest else { return }
            let missing = try parts(of: status.number).subtracting(try parts(&copy)).min()
            if let missing { throw .corrupt(reason: "its schema lacks \(missing)") }
        }
    }

    /// What an empty store has after migration `number`.
    private static func parts(of number: Int64) throws(StoreError) -> Set<String> {
        var model = try SQLiteConnection(path: ":memory:", .readWrite, patience: 0)
        _ = try model.write(Schema.make(upTo: number, dialect: .sqlite))
        return try parts(&model)
    }

    /// Every index, and every column of every table.
    private static func parts(_ connection: inout SQLiteConnection) throws(StoreError) -> Set<String> {
        let parts = try connection.run(SQLStatement(selectParts, [])).map { (row) throws(StoreError) in try row.text() }
        return Set(parts)
    }

    private static let findForeign = SQL(
        """
        SELECT type, name FROM sqlite_schema
        WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' ORDER BY name LIMIT 1
        """
    )
    private static let selectParts = SQL(
        """
        SELECT 'index ' || name FROM sqlite_schema WHERE type = 'index'
        UNION ALL
        SELECT 'column ' || t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk
        FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
        """
    )
}
