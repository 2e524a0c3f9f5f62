import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Key-value data in the index.
struct KeyValueTests {
    private let notes = "ABCDE12345.org.example.notes"
    private let other = "ABCDE12345.org.example.other"

    private func change(
        _ values: [String: [UInt8]], removing removed: Set<String> = [], of identifier: String,
        in storage: StorageFixture
    ) throws -> Bool {
        let change = try KeyValueChange(values, removing: removed)
        return try storage.index.write { try $0.change(change, of: ContainerIdentifier(identifier)) }
    }

    private func values(
        of identifier: String, _ keys: Set<String>? = nil, in storage: StorageFixture
    ) throws -> [String: [UInt8]] {
        try storage.index.read { try $0.keyValues(of: ContainerIdentifier(identifier), keys) }
    }

    @Test("CONT-2: values are kept by their identifier, byte by byte, and are there after a restart")
    func keeping() throws {
        let storage = try StorageFixture()
        #expect(try change(["a": [0, 255], "é": []], of: notes, in: storage))
        #expect(try change(["a": [7]], of: other, in: storage))
        #expect(try !change(["a": [0, 255]], removing: ["none"], of: notes, in: storage), "nothing is another")
        try storage.reopen()
        let kept = try values(of: notes, in: storage)
        #expect(kept == ["a": [0, 255], "é": []])
        // Forms of one character are one key.
        #expect(try change(["e\u{301}": [1]], of: notes, in: storage))
        #expect(try values(of: notes, in: storage) == ["a": [0, 255], "é": [1]])
        #expect(try values(of: notes, ["a", "none"], in: storage) == ["a": [0, 255]])
        #expect(try change(["b": [2]], removing: ["a"], of: notes, in: storage))
        #expect(try values(of: notes, in: storage)["a"] == nil && values(of: notes, in: storage)["b"] == [2])
        #expect(try values(of: other, in: storage) == ["a": [7]])
    }

    @Test("CONT-2, KV-3, KV-4: more keys or bytes than there may be are refused, and then nothing is changed")
    func limits() throws {
        let storage = try StorageFixture()
        func code(_ body: () throws -> some Any) -> DocumentError.Code? {
            do {
                _ = try body()
                return nil
            } catch {
                return (error as? DocumentError)?.code
            }
        }
        let half = [UInt8](repeating: 1, count: KeyValueLimits.mostBytes / 2)
        #expect(try change(["a": half, "b": half], of: notes, in: storage))
        #expect(code { try change(["c": [1]], of: notes, in: storage) } == .insufficientQuota)
        #expect(try change(["c": [1]], removing: ["a"], of: notes, in: storage))
        let most = (0..<KeyValueLimits.mostKeys).map { ("k\($0)", [UInt8]()) }
        #expect(try change(Dictionary(uniqueKeysWithValues: most), of: other, in: storage))
        #expect(code { try change(["more": [], "k1": [9]], of: other, in: storage) } == .insufficientQuota)
        #expect(try values(of: other, ["k1"], in: storage) == ["k1": []])
        for key in ["", String(repeating: "x", count: 65)] {
            #expect(code { try KeyValueChange([key: []]) } == .invalidArgument)
            #expect(code { try KeyValueChange([:], removing: [key]) } == .invalidArgument)
        }
        #expect(code { try KeyValueChange(["a": []], removing: ["a"]) } == .invalidArgument)
        #expect(code { try KeyValueChange(["a": half + half + [1]]) } == .insufficientQuota)
    }
}
