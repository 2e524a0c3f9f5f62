import DocumentModel
import DocumentMount
import Testing

/// The kernel is not told again what it knows.
@Suite struct ToldAttributesTests {
    private let attributes = NodeAttributes(
        number: 7, isFolder: false, size: 5, blocks: 8, modified: Timestamp(seconds: 1), isWritable: true)

    @Test func whatWasToldIsKnownUntilItIsForgotten() {
        let told = ToldAttributes()
        #expect(!told.knows(attributes, of: 2))
        told.tell(2, attributes, lifetime: 60)
        #expect(told.knows(attributes, of: 2))
        #expect(!told.knows(attributes, of: 3))
        told.forget(2)
        #expect(!told.knows(attributes, of: 2))
        told.tell(2, attributes, lifetime: 60)
        told.forgetEverything()
        #expect(!told.knows(attributes, of: 2))
    }

    @Test func everyChangeIsNewsButTheNumber() {
        let told = ToldAttributes()
        told.tell(2, attributes, lifetime: 60)
        let changes: [(inout NodeAttributes) -> Void] = [
            { $0.size = 6 }, { $0.blocks = 0 }, { $0.modified = Timestamp(seconds: 2) }, { $0.isWritable = false },
            { $0.isFolder = true },
        ]
        for change in changes {
            var other = attributes
            change(&other)
            #expect(!told.knows(other, of: 2))
        }
        var renumbered = attributes
        renumbered.number = 8
        #expect(told.knows(renumbered, of: 2))
    }

    @Test func whatTheKernelMayNotKeepItDoesNotKnow() {
        let told = ToldAttributes()
        told.tell(2, attributes, lifetime: 60)
        told.tell(2, attributes, lifetime: 0)
        #expect(!told.knows(attributes, of: 2))
    }
}
