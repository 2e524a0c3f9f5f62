import DocumentModel
import SwiftProtobuf

extension Message {
    /// Reads a message, or says that the bytes are not one.
    static func decoded(from bytes: [UInt8], as thing: String) throws(DocumentError) -> Self {
        var options = BinaryDecodingOptions()
        // Fields of newer peers are ignored; nothing is ever passed on, so they need not be kept.
        options.discardUnknownFields = true
        do {
            return try Self(serializedBytes: bytes, options: options)
        } catch {
            throw DocumentError(
                .protocolViolation,
                "\(thing) of \(bytes.count) bytes cannot be read: it does not follow the protocol.",
                detail: "\(error)"
            )
        }
    }

    /// The message's bytes. Serialising a proto3 message fails only above 2 GiB, far over every frame limit; the
    /// empty body that stands for it then is refused by the receiver as an unknown call.
    func encoded() -> [UInt8] {
        do {
            return try serializedBytes()
        } catch {
            return []
        }
    }
}

/// Bytes as the generated code wants them, whatever type that is.
func collected<Bytes: RangeReplaceableCollection>(_ bytes: [UInt8]) -> Bytes where Bytes.Element == UInt8 {
    Bytes(bytes)
}

/// Runs checks on what the other side answered: whatever they find is that side's fault, so it gets `code`, and the
/// finding becomes the cause.
func blaming<Value>(
    _ code: DocumentError.Code, _ sentence: String, _ body: () throws(DocumentError) -> Value
) throws(DocumentError) -> Value {
    do {
        return try body()
    } catch {
        throw DocumentError(code, sentence, detail: error.detail, causes: [error.message] + error.causes)
    }
}

/// `map` with a typed throw.
func mapped<Element, Result>(
    _ elements: [Element], _ transform: (Element) throws(DocumentError) -> Result
) throws(DocumentError) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(elements.count)
    for element in elements { results.append(try transform(element)) }
    return results
}
