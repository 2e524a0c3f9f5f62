import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

struct SecretFolderTests {
    private func file(_ storage: StorageFixture) -> FilePath {
        storage.rootPath.appending(FilePath(".docent/secrets/work").components)
    }

    @Test("AUTH-5: what a domain signs in with is kept whole, over a restart, in a file for the host's user alone")
    func keeping() throws {
        let storage = try StorageFixture()
        #expect(try storage.root.secrets.secrets(of: storage.domain) == nil)
        let first = ["user": "ann", "password": "a=b c\u{E9}\u{1F511}", "token": ""]
        try storage.root.secrets.keep(first, of: storage.domain)
        try storage.reopen()
        #expect(try storage.root.secrets.secrets(of: storage.domain) == first)
        #expect(try storage.root.secrets.domains() == [storage.domain])
        #expect(try FileSystemMoves.mode(of: file(storage)) == 0o600)
        #expect(try FileSystemMoves.mode(of: file(storage).removingLastComponent()) == 0o700)
        try storage.root.secrets.keep(["token": "t"], of: storage.domain)
        #expect(try storage.root.secrets.secrets(of: storage.domain) == ["token": "t"], "all of it is replaced")
        try storage.root.secrets.remove(of: storage.domain)
        try storage.root.secrets.remove(of: storage.domain)
        #expect(try storage.root.secrets.secrets(of: storage.domain) == nil)
        #expect(try storage.root.secrets.domains().isEmpty)
    }

    @Test("A write that was cut off leaves what was there, and nothing else")
    func cutOff() throws {
        let storage = try StorageFixture()
        try storage.root.secrets.keep(["password": "old"], of: storage.domain)
        let unfinished = file(storage).removingLastComponent().appending(".new-work")
        try storage.write("docent secrets 1\npassword=ne", to: unfinished)
        try storage.reopen()
        #expect(try storage.root.secrets.secrets(of: storage.domain) == ["password": "old"])
        #expect(try storage.read(unfinished) == nil)
    }

    @Test("A file that others can read, or that is damaged, is refused with the way out", arguments: [true, false])
    func unusable(isOpen: Bool) throws {
        let storage = try StorageFixture()
        try storage.root.secrets.keep(["password": "old"], of: storage.domain)
        if isOpen {
            #expect(chmod(file(storage).string, 0o640) == 0)
        } else {
            try storage.write("docent secrets 1\npassword=ol", to: file(storage))
        }
        let error = #expect(throws: DocumentError.self) {
            try storage.root.secrets.secrets(of: storage.domain)
        }
        #expect(error?.code == (isOpen ? .notPermitted : .localStorage))
        #expect(error?.message.contains("docent login work") == true)
        // Which is open.
        try storage.root.secrets.keep(["password": "new"], of: storage.domain)
        #expect(try storage.root.secrets.secrets(of: storage.domain) == ["password": "new"])
    }

    @Test("AUTH-5: nothing of a setting that was deleted is left in the index or its log")
    func erasing() throws {
        let storage = try StorageFixture()
        let secret = "s3cret-in-the-index"
        var record = DomainRecord(
            name: storage.domain, provider: try ProviderIdentifier("org.example.test"), settings: ["password": secret])
        try storage.index.write { try $0.updateDomain(record) }
        func isFound() throws -> Bool {
            try ["index.sqlite", "index.sqlite-wal"].contains { name in
                let path = storage.rootPath.appending(".docent").appending(name)
                guard let file = try? FileDescriptor.open(path, .readOnly) else { return false }
                return try file.closeAfter {
                    var bytes = [UInt8](repeating: 0, count: 4 << 20)
                    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
                    return String(decoding: bytes[..<count], as: UTF8.self).contains(secret)
                }
            }
        }
        #expect(try isFound(), "the search finds what is there")
        record.settings = [:]
        try storage.index.write { try $0.updateDomain(record) }
        #expect(try isFound(), "a deletion alone leaves it")
        try storage.index.eraseDeleted()
        #expect(try !isFound())
        #expect(try storage.index.read { try $0.domain(storage.domain) } == record)
    }
}
