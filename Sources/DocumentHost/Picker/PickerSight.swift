import DocumentModel

/// What one tool's picker sessions show and take: of a registered tool what its manifest names, and nothing around that
/// (CONT-2). A session gives a tool no more than it has; more is for the user to give, with a bookmark. Without I/O.
struct PickerSight: Sendable {
    /// Nil for the user's own programs, which see everything.
    let authority: ToolAuthority?

    func shows(_ location: Location) -> Bool { refusal(.reading, of: location) == nil }

    /// Whether the tool may change it.
    func takes(_ location: Location) -> Bool { refusal(.writing, of: location) == nil }

    /// - Throws: `notPermitted`, with what is missing.
    func require(_ use: ToolAuthority.Use, of location: Location) throws(DocumentError) {
        if let refusal = refusal(use, of: location) { throw refusal }
    }

    private func refusal(_ use: ToolAuthority.Use, of location: Location) -> DocumentError? {
        authority?.refusal(use, of: location)
    }
}
