import DocumentModel

/// The languages that there is a template in.
enum TemplateLanguage: String, CaseIterable, Sendable {
    case swift, python

    /// What a template says, and what a project says in its place; what contains another one comes first.
    func words(for name: ProjectName, docent: DocentPackage) -> [(template: String, project: String)] {
        switch self {
        case .swift:
            [
                ("DOCENT_DEPENDENCY", docent.dependency), ("DOCENT_PACKAGE", docent.identity),
                ("Handbook in memory", name.folder), ("org.example.memory", name.identifier.rawValue),
                ("MemoryProvider", name.type), ("memory-provider", name.word),
            ]
        case .python:
            [
                ("Handbook in memory, in Python", name.folder), ("org.example.memory-python", name.identifier.rawValue),
                ("$here/../../Sources/DocumentWire/Protos", "$here/../protos"),
                ("the provider of ../MemoryProvider, in Python", "replace it by what you have"),
                ("memory-provider", name.word),
            ]
        }
    }
}
