/// What a registered host tool may use.
public struct Entitlements: Hashable, Sendable {
    /// How much of a domain.
    public enum DomainUse: String, Sendable, CaseIterable {
        case reading
        case writing
    }

    /// The containers; the first one is the tool's main container (CONT-1).
    public let containers: [ContainerPattern]
    /// Where the tool's small settings are kept; tools with an equal one share them (CONT-2).
    public let keyValueIdentifier: ContainerIdentifier?
    /// Whole domains, whatever lies in them.
    public let domains: [DomainName: DomainUse]

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when the first container has a wildcard (CONT-1).
    public init(
        containers: [ContainerPattern] = [], keyValueIdentifier: ContainerIdentifier? = nil,
        domains: [DomainName: DomainUse] = [:]
    ) throws(DocumentError) {
        if let first = containers.first, first.hasWildcard {
            throw DocumentError(
                .invalidArgument,
                "The first container is the tool's main container and cannot have a wildcard, and “\(first)” has one: name one container before it."
            )
        }
        self.containers = containers
        self.keyValueIdentifier = keyValueIdentifier
        self.domains = domains
    }

    /// The tool's own container; nil for a tool without.
    public var mainContainer: ContainerIdentifier? { containers.first?.identifier }

    /// Whether a container is named.
    public func covers(_ container: ContainerIdentifier) -> Bool { containers.contains { $0.matches(container) } }
}

/// A host tool that is registered: a program, and what it may use.
public struct ToolDescription: Hashable, Sendable {
    public var id: ToolIdentifier
    /// For people.
    public var name: String
    /// The program, as an absolute path without symbolic links.
    public var executable: String
    public var entitlements: Entitlements
    /// Those of its containers whose documents others may see (CONT-6).
    public var publicContainers: [PublicContainer]
    /// Whether something keeps it from the documents' files: then it gets open files instead of paths, and the host reads no
    /// file for it (PICK-21, BOOK-5).
    public var isConfined: Bool

    /// What a host tells, or a test makes up.
    public init(
        id: ToolIdentifier, name: String, executable: String, entitlements: Entitlements,
        publicContainers: [PublicContainer] = [], isConfined: Bool = false
    ) {
        self.id = id
        self.name = name
        self.executable = executable
        self.entitlements = entitlements
        self.publicContainers = publicContainers
        self.isConfined = isConfined
    }
}

/// A container whose documents other tools may see and read (CONT-6).
public struct PublicContainer: Hashable, Sendable {
    /// How deep the folders go that others see.
    public enum FolderLevels: String, Sendable, CaseIterable {
        /// Documents only.
        case none
        /// Folders, and the documents in them.
        case one
        /// Folders in folders.
        case any
    }

    /// Its name for programs.
    public var identifier: ContainerIdentifier
    /// What people see for its name.
    public var name: String
    /// How deep others may look into it.
    public var folderLevels: FolderLevels

    /// What a manifest says.
    public init(identifier: ContainerIdentifier, name: String, folderLevels: FolderLevels = .any) {
        self.identifier = identifier
        self.name = name
        self.folderLevels = folderLevels
    }

    /// Whether others may see what lies at a path below the container's folder: it is in `Documents`, and not too deep.
    ///
    /// - Parameter path: the names from the container's folder on; none for that folder itself.
    public func shows(_ path: [ItemName]) -> Bool {
        guard let first = path.first else { return true }
        guard first.rawValue == ContainerScope.documentsFolder else { return false }
        let levels = path.count - 1
        return switch folderLevels {
        case .none: levels <= 1
        case .one: levels <= 2
        case .any: true
        }
    }
}

/// Which half of a container (CONT-5).
public enum ContainerScope: String, Sendable, CaseIterable {
    /// Below `Documents`: the user's documents, shown and deletable one by one.
    case documents
    /// Everything else: hidden, and kept or deleted only as a whole.
    case data

    /// The folder of the documents in every container.
    public static let documentsFolder = "Documents"
}

/// A container that a tool can see.
public struct ContainerDescription: Hashable, Sendable {
    public var identifier: ContainerIdentifier
    /// What people see for its name; the identifier where nobody gave one.
    public var name: String
    /// Its folder.
    public var location: Location
    /// Whether others see its documents.
    public var isPublic: Bool
    /// Whether the tool may use all of it; else it sees only the documents.
    public var isEntitled: Bool

    /// What a host tells, or a test makes up.
    public init(
        identifier: ContainerIdentifier, name: String, location: Location, isPublic: Bool, isEntitled: Bool
    ) {
        self.identifier = identifier
        self.name = name
        self.location = location
        self.isPublic = isPublic
        self.isEntitled = isEntitled
    }
}
