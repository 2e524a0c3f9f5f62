package import DocumentModel

/// A registered tool: its program, and its manifest as it was when it was registered.
package struct ToolRecord: Hashable, Sendable {
    package var id: ToolIdentifier
    package var executable: String
    package var manifest: String

    package init(id: ToolIdentifier, executable: String, manifest: String) {
        self.id = id
        self.executable = executable
        self.manifest = manifest
    }
}

extension IndexReader {
    package func tools() throws -> [ToolRecord] {
        try sql.all("SELECT id, executable, manifest FROM tool ORDER BY id") { row in
            ToolRecord(id: try ToolIdentifier(row.text(0)), executable: row.text(1), manifest: row.text(2))
        }
    }

    /// The folder of all containers; nil when there is none.
    package func containerPlace() throws -> Location? {
        try sql.first("SELECT value FROM setting WHERE name = 'containers'") { try Location($0.text(0)) }
    }
}

extension IndexTransaction {
    /// A new one, or in place of the one of the same name.
    package func setTool(_ tool: ToolRecord) throws {
        try sql.run(
            """
            INSERT INTO tool (id, executable, manifest) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET executable = excluded.executable, manifest = excluded.manifest
            """, .text(tool.id.rawValue), .text(tool.executable), .text(tool.manifest))
    }

    package func removeTool(_ id: ToolIdentifier) throws {
        try sql.run("DELETE FROM tool WHERE id = ?", .text(id.rawValue))
    }

    package func setContainerPlace(_ place: Location?) throws {
        try sql.run("DELETE FROM setting WHERE name = 'containers'")
        if let place { try sql.run("INSERT INTO setting VALUES ('containers', ?)", .text(place.description)) }
    }
}
