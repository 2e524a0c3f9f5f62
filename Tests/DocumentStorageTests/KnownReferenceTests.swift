import DocumentModel
import DocumentTestSupport
import Foundation
import Testing

@testable import DocumentStorage

/// What the index remembers between questions: the domains' numbers, and the items asked for last.
struct KnownReferenceTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
        try storage.tell(storage.item("a", "a.txt"))
    }

    @Test("An item that was changed in a transaction is not seen in it as it was before")
    func itemsInATransaction() throws {
        let (domain, id) = (storage.domain, try ItemIdentifier("a"))
        try storage.index.write { index in
            #expect(try index.item(id, in: domain)?.state == .placeholder)
            try index.setState(.changed, of: id, in: domain)
            #expect(try index.item(id, in: domain)?.state == .changed)
            try index.setPlaceholder(id, in: domain)
            _ = try index.delete([id], in: domain)
            #expect(try index.item(id, in: domain) == nil)
        }
    }

    @Test("A reader sees one state of an item however often it asks, and the next reader what was written since")
    func itemsInAReader() throws {
        let (domain, id, index) = (storage.domain, try ItemIdentifier("a"), storage.index)
        try index.read { reader in
            #expect(try reader.item(id, in: domain)?.state == .placeholder)
            try index.write { try $0.setState(.changed, of: id, in: domain) }
            #expect(try reader.item(id, in: domain)?.state == .placeholder)
        }
        #expect(try index.read { try $0.item(id, in: domain)?.state } == .changed)
    }

    @Test("A domain that was removed is not known to the next reader, and one with its name is another one")
    func removedDomain() throws {
        let (domain, id, index) = (storage.domain, try ItemIdentifier("a"), storage.index)
        let record = try #require(try index.read { try $0.domain(domain) })
        try index.read { before in
            // With its first question its view is fixed: to it, the domain is there.
            #expect(try before.item(id, in: domain) != nil)
            try index.write { try $0.removeDomain(domain) }
            #expect(try before.item(id, in: domain) != nil)
        }
        #expect(throws: DocumentError.self) { try index.read { try $0.rootID(of: domain) } }
        var other = record
        other.rootID = try ItemIdentifier("other top")
        try index.write { try $0.addDomain(other) }
        #expect(try index.read { try $0.rootID(of: domain) } == other.rootID)
        #expect(try index.read { try $0.item(id, in: domain) } == nil)
        #expect(try index.read { try $0.item(other.rootID, in: domain) } != nil)
    }

    @Test("A domain that a transaction adds and takes back again was never there")
    func takenBack() throws {
        struct Refusal: Error {}
        let index = storage.index
        var other = try #require(try index.read { try $0.domain(storage.domain) })
        other.name = try DomainName("another")
        #expect(throws: Refusal.self) {
            try index.write { transaction in
                try transaction.addDomain(other)
                #expect(try transaction.rootID(of: other.name) == other.rootID)
                throw Refusal()
            }
        }
        #expect(throws: DocumentError.self) { try index.read { try $0.rootID(of: other.name) } }
        #expect(try index.read { try $0.rootID(of: storage.domain) } == other.rootID)
    }

    @Test("Nor does one that began while a domain was being changed")
    func readerMeanwhile() throws {
        let (domain, index) = (storage.domain, storage.index)
        var record = try #require(try index.read { try $0.domain(domain) })
        let old = record.rootID
        record.rootID = try ItemIdentifier("new top")
        let (changed, goOn, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        DispatchQueue.global().async(group: done) { [record] in
            try? index.write { transaction in
                try transaction.updateDomain(record)
                changed.signal()
                goOn.wait()
            }
        }
        changed.wait()
        try index.read { meanwhile in
            // With its first question its view is fixed.
            _ = try meanwhile.domains()
            goOn.signal()
            done.wait()
            #expect(try meanwhile.rootID(of: domain) == old)
        }
        #expect(try index.read { try $0.rootID(of: domain) } == record.rootID)
    }

    @Test("A reader that began before a domain was changed does not tell later ones of how it was")
    func oldReader() throws {
        let (domain, index) = (storage.domain, storage.index)
        var record = try #require(try index.read { try $0.domain(domain) })
        let old = record.rootID
        record.rootID = try ItemIdentifier("new top")
        try index.read { before in
            // With its first question its view is fixed.
            _ = try before.domains()
            try index.write { try $0.updateDomain(record) }
            #expect(try before.rootID(of: domain) == old)
        }
        #expect(try index.read { try $0.rootID(of: domain) } == record.rootID)
    }
}
