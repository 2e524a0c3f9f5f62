import DocumentModel
import DocumentWire

/// A message of a contract in its checked form.
protocol CheckedMessage: Equatable {
    init(serialized bytes: [UInt8]) throws(DocumentError)
    func serialized() -> [UInt8]
}

extension CheckedMessage {
    /// Reads an input: what is refused is refused with a code that the contract names and with a sentence, and what is
    /// taken is written and read again as the same.
    static func read(_ input: [UInt8], refusals: Set<DocumentError.Code>) throws(FuzzFinding) -> Self? {
        let message: Self
        do throws(DocumentError) {
            message = try Self(serialized: input)
        } catch {
            try require(refusals.contains(error.code), "It was refused with \(error.code): \(error)")
            try require(!error.message.isEmpty, "It was refused without a word.")
            return nil
        }
        let again: Self
        do throws(DocumentError) {
            again = try Self(serialized: message.serialized())
        } catch {
            throw FuzzFinding("\(message) was written, and refused when it was read: \(error)")
        }
        try require(again == message, "\(message) was written, and read as \(again).")
        return message
    }
}
