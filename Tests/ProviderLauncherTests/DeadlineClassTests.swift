import DocumentModel
import DocumentTransport
import DocumentWire
import Testing

@testable import ProviderLauncher

@Suite("Each call has the deadline of its class")
struct DeadlineClassTests {
    private static let deadlines: Manifest.Deadlines = {
        var deadlines = Manifest.Deadlines()
        deadlines.metadata = .seconds(1)
        deadlines.mutation = .seconds(2)
        deadlines.contents = .seconds(3)
        return deadlines
    }()

    private static func calls() throws -> [(ProviderCall, Deadline)] {
        let item = try ItemIdentifier("a")
        let creation = { (contents: String?) throws in
            ProviderCall.CreateCall(
                parentID: .root, name: try ItemName("n"), kind: contents == nil ? .folder : .document,
                contentsPath: contents, modified: nil, operation: "o")
        }
        let change = { (contents: String?) in
            ProviderCall.ModifyCall(id: item, baseVersion: .none, contentsPath: contents, operation: "o")
        }
        let deletion = ProviderCall.DeleteCall(id: item, baseVersion: .none, recursive: true, operation: "o")
        return [
            (.identity, .total(.seconds(1))), (.item(item), .total(.seconds(1))),
            (.enumerate(container: .root, page: nil, suggestedCount: 1), .total(.seconds(1))),
            (.providePlaceholder(item), .total(.seconds(1))), (.itemChanged(item), .total(.seconds(1))),
            (.stopProviding(item), .total(.seconds(1))), (.pathForIdentifier(item), .total(.seconds(1))),
            (.identifierForPath("a"), .total(.seconds(1))), (.currentAnchor, .total(.seconds(1))),
            (.changesSince(try SyncAnchor([1]), suggestedCount: 1), .total(.seconds(1))),
            (.create(try creation(nil)), .stall(.seconds(2))), (.modify(change(nil)), .stall(.seconds(2))),
            (.delete(deletion), .stall(.seconds(2))),
            (.create(try creation("/c")), .stall(.seconds(3))), (.modify(change("/c")), .stall(.seconds(3))),
            (.startProviding(item, stagingPath: "/s", contentVersion: []), .stall(.seconds(3))),
        ]
    }

    @Test(
        "WIRE-28: what is asked of metadata has its time in all; what carries contents may go on for as long as it gets on"
    )
    func classes() throws {
        for (call, deadline) in try Self.calls() {
            #expect(call.deadline(Self.deadlines) == deadline, "\(call)")
        }
    }
}
