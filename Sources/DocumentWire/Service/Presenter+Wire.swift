import DocumentModel
import SwiftProtobuf

extension PresenterRegistration {
    private static let mostAttributes = 64
    private static let usualPatience = Duration.seconds(30)

    init(_ wire: WireServiceAddPresenter) throws(DocumentError) {
        guard wire.presenter != 0 else { throw Checks.refusal("A presenter must have a number that is not 0.") }
        guard wire.observedAttributes.count <= Self.mostAttributes else {
            throw Checks.refusal("A presenter may observe \(Self.mostAttributes) attributes at most.")
        }
        self.init(
            number: wire.presenter,
            place: try PresentedPlace(location: wire.location, localPath: wire.localPath),
            capabilities: wire.capabilities.reduce(into: []) { $0.formUnion(PresenterCapabilities($1)) },
            observedAttributes: try mapped(wire.observedAttributes) { name throws(DocumentError) in
                try Checks.text(name, "An attribute", limit: 128, required: true)
            },
            patience: wire.patience == 0 ? Self.usualPatience : .milliseconds(wire.patience)
        )
    }
}

extension WireServiceAddPresenter {
    init(_ registration: PresenterRegistration) {
        self.init()
        presenter = registration.number
        (location, localPath) = registration.place.fields
        capabilities = WireServicePresenterCapability.allCases.filter {
            let capability = PresenterCapabilities($0)
            return !capability.isEmpty && registration.capabilities.isSuperset(of: capability)
        }
        observedAttributes = registration.observedAttributes
        let (seconds, attoseconds) = registration.patience.components
        patience = UInt32(clamping: max(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1))
    }
}

extension PresenterCapabilities {
    /// Those that are not known stand for nothing: the tool is newer.
    fileprivate init(_ wire: WireServicePresenterCapability) {
        self =
            switch wire {
            case .relinquishing: .relinquishing
            case .saving: .saving
            case .accommodatingDeletion: .deletion
            case .accommodatingSubitemDeletion: .subitemDeletion
            case .accommodatingEviction: .eviction
            case .changes: .changes
            case .moves: .moves
            case .attributes: .attributes
            case .versions: .versions
            case .subitems: .subitems
            case .subitemVersions: .subitemVersions
            case .relinquishingToWriters: .relinquishingToWriters
            case .movesOut: .movesOut
            case .unspecified, .UNRECOGNIZED: []
            }
    }
}

extension PresentedPlace {
    /// - Returns: nil when neither is given: the document is not created yet.
    init?(location: String, localPath: String) throws(DocumentError) {
        guard localPath.isEmpty || location.isEmpty else {
            throw Checks.refusal("A presenter presents an item of a domain or a path of this machine, and not both.")
        }
        if !localPath.isEmpty {
            self = .local(try Checks.absolutePath(localPath, "What is presented"))
        } else if !location.isEmpty {
            self = .item(try Location(location))
        } else {
            return nil
        }
    }
}

extension PresentedPlace? {
    /// As they are sent.
    var fields: (location: String, localPath: String) {
        switch self {
        case .item(let location): (location.description, "")
        case .local(let path): ("", path)
        case nil: ("", "")
        }
    }
}
