import DocumentHost
import DocumentModel

/// Somebody who has a document or a folder open on a machine, for as long as its host lives.
final class SimulatedPresenter: @unchecked Sendable {  // Everything of a run happens on one thread.
    let id: ItemIdentifier
    let life: MachineLife
    let host: DocumentHost
    let tool: DocumentHost.Tool
    /// It is told of what has happened, and says yes to evictions; others are also asked before anything is done.
    let isObserver: Bool
    /// Where it is, as far as it was told.
    var place: Location
    /// What was told, and was not answered yet.
    var isAnswering = false
    /// It was closed.
    var isOver = false
    /// What it was told, since that was forgotten last.
    var messages: [PresenterMessage] = []
    /// Of a document: what the remote has had in it when it was looked at after a message.
    var seen: [UInt8]?

    /// The number that its tool gives it.
    static let number: UInt64 = 1

    init(
        of id: ItemIdentifier, at place: Location, isObserver: Bool, on life: MachineLife, _ host: DocumentHost
    ) {
        self.id = id
        self.place = place
        self.isObserver = isObserver
        self.life = life
        self.host = host
        tool = host.connect(tool: "presenter")
    }

    var registration: PresenterRegistration {
        PresenterRegistration(
            number: Self.number, place: .item(place),
            capabilities: isObserver
                ? [.changes, .moves, .versions, .subitems, .subitemVersions, .eviction] : .all)
    }

    func close() {
        guard !isOver else { return }
        isOver = true
        host.removePresenter(Self.number, of: tool)
        host.disconnect(tool)
    }
}
