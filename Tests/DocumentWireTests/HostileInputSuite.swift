import DocumentModel

@testable import DocumentWire

/// What tests of hostile input share: an ordinary document to damage, and what a refusal says.
protocol HostileInputSuite {}

extension HostileInputSuite {
    var document: WireModelItem {
        var item = WireModelItem()
        item.id = "id"
        item.parentID = "/"
        item.name = "name.txt"
        item.kind = .document
        item.size = 3
        item.version.content = collected([1])
        return item
    }

    func code(_ body: () throws -> Void) -> DocumentError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    func refusal(of item: WireModelItem) -> DocumentError.Code? {
        var answer = WireProviderProviderAnswer()
        answer.item.item = item
        return code { _ = try ProviderReply(serialized: answer.encoded()) }
    }
}
