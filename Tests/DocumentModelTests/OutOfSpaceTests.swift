import DocumentModel
import Testing

struct OutOfSpaceTests {
    @Test("A full disk is told from other troubles of it, also behind another sentence and in a provider's words")
    func told() {
        let own = DocumentError(.localStorage, "“a” could not be written: \(DocumentError.diskIsFull)")
        #expect(own.isOutOfSpace)
        #expect(own.wrapped("The document could not come.").isOutOfSpace)
        #expect(DocumentError(.localStorage, "Folder could not use a file: No space left on device.").isOutOfSpace)
        #expect(DocumentError(.localStorage, "“a” needs 40 MB. \(DocumentError.freeSomeSpace)").isOutOfSpace)
        #expect(!DocumentError(.localStorage, "The disk reported an error.").isOutOfSpace)
        #expect(!DocumentError(.insufficientQuota, "No space left on device").isOutOfSpace)
    }
}
