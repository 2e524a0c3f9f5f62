import DocumentModel
import DocumentWire
import Synchronization

/// The accesses that the tool of a script holds: what an input calls the third one is the third one that it got, whatever
/// number the host gave it.
final class HeldAccesses: Sendable {
    private let numbers = Mutex<[UInt64]>([])

    func add(_ number: UInt64) { numbers.withLock { $0.append(number) } }

    /// A request with the numbers that the host knows; bytes that are no request as they are. Nil for what would take the
    /// documents away from the inputs that follow.
    func adapt(_ body: [UInt8]) -> [UInt8]? {
        guard let call = try? ServiceCall(serialized: body) else { return body }
        switch call {
        case .removeDomain: return nil
        case .endAccess(let number): return ServiceCall.endAccess(known(number)).serialized()
        case .flushAccess(let number): return ServiceCall.flushAccess(known(number)).serialized()
        case .openAccessed(let number, let index, let part, let making):
            return ServiceCall.openAccessed(known(number), number: index, part: part, making: making).serialized()
        case .beginAccess(var request):
            request.nestedIn = request.nestedIn.prefix(4).map(known)
            return ServiceCall.beginAccess(request).serialized()
        default: return body
        }
    }

    private func known(_ number: UInt64) -> UInt64 {
        numbers.withLock { $0.isEmpty ? number : $0[Int(number % UInt64($0.count))] }
    }
}
