import DocumentModel
import DocumentTypes
import FileCoordination
import Synchronization

/// The picker sessions that are open. They end with their tool's connection.
final class PickerTable: Sendable {
    /// More than this at once no tool can mean.
    private static let mostOfOneTool = 64

    private let state = Mutex((last: UInt64(0), pickers: [UInt64: OpenPicker]()))

    /// Opens a session.
    func open(
        _ request: PickerRequest, for owner: ClaimOwner, in domains: [DomainName], original: OpenPicker.Original?,
        types: TypeDatabase
    ) throws(DocumentError) -> OpenPicker {
        let picker = state.withLock { state -> OpenPicker? in
            guard state.pickers.values.count(where: { $0.owner == owner }) < Self.mostOfOneTool else { return nil }
            state.last += 1
            let picker = OpenPicker(
                number: state.last, owner: owner, request: request, domains: domains, original: original, types: types)
            state.pickers[state.last] = picker
            return picker
        }
        if let picker { return picker }
        throw DocumentError(.busy, "The tool has \(Self.mostOfOneTool) picker sessions open; end one of them first.")
    }

    /// - Throws: `invalidArgument` when the tool has no such session.
    func find(_ number: UInt64, of owner: ClaimOwner) throws(DocumentError) -> OpenPicker {
        if let picker = state.withLock({ $0.pickers[number] }), picker.owner == owner { return picker }
        throw DocumentError(.invalidArgument, "There is no such picker session, or it is over; begin another one.")
    }

    func remove(_ picker: OpenPicker) {
        state.withLock { $0.pickers[picker.number] = nil }
    }

    func all(of owner: ClaimOwner) -> [OpenPicker] {
        state.withLock { state in state.pickers.values.filter { $0.owner == owner } }
    }

    /// Of every tool.
    var count: Int { state.withLock { $0.pickers.count } }
}
