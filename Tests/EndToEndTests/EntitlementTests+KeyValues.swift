import DocumentClient
import DocumentModel
import Foundation
import Testing

extension EntitlementTests {
    @Test("CONT-2: key-value data is shared by tools with one identifier, durable, and refused to all others")
    func keyValues() async throws {
        try await withDomains { machine async throws in
            // Without a manifest there is none.
            try await machine.client { client async throws in
                let refusal = await failure { try await client.keyValueStore.values() }
                #expect(refusal?.code == .notPermitted && refusal?.message.contains("“key-value”") == true)
            }
            try register("domains = [\"work\"]", on: machine)
            try await machine.client { client async throws in
                let store = client.keyValueStore
                for refusal in [
                    await failure { try await store.setString("x", forKey: "a") },
                    await failure { try await store.value(forKey: "a") },
                ] {
                    #expect(refusal?.code == .notPermitted)
                    #expect(refusal?.message.contains("its manifest names no identifier under “key-value”") == true)
                }
            }
            try register("key-value = \"\(Self.notes)\"", on: machine)
            try await machine.client { client async throws in
                let store = client.keyValueStore
                try await store.change(["theme": Array("dark".utf8), "size": [12], "old": []])
                try await store.change(["size": [13]], removing: ["old", "none"])
                #expect(try await store.string(forKey: "theme") == "dark")
                #expect(try await store.value(forKey: "old") == nil)
                #expect(try await store.values() == ["theme": Array("dark".utf8), "size": [13]])
                let long = String(repeating: "k", count: 65)
                #expect(await code { try await store.setValue([], forKey: long) } == .invalidArgument)
                let large = [UInt8](repeating: 0, count: KeyValueLimits.mostBytes)
                #expect(await code { try await store.setValue(large, forKey: "large") } == .insufficientQuota)
                try await store.change(["large": large], removing: ["theme", "size"])
                #expect(try await store.value(forKey: "large") == large)
                try await store.change(["theme": Array("light".utf8)], removing: ["large"])
            }
            // What was acknowledged is there when the host was killed.
            kill(try #require(machine.daemon), SIGKILL)
            #expect(Machine.eventually { machine.daemon == nil })
            try machine.succeed("host", "start")
            try await machine.client { client async throws in
                #expect(try await client.keyValueStore.string(forKey: "theme") == "light")
            }
            try register("key-value = \"0123456789.else\"", on: machine)
            try await machine.client { client async throws in
                #expect(try await client.keyValueStore.values() == [:], "another identifier has other data")
            }
        }
    }

    @Test("CONT-2: a tool hears of what others with its identifier have changed, until it has the right to it no more")
    func keyValueUpdates() async throws {
        try await withDomains { machine async throws in
            try register("key-value = \"\(Self.notes)\"", on: machine)
            try await machine.client { client async throws in
                try await client.keyValueStore.setString("1", forKey: "a")
                var updates = client.keyValueStore.updates().makeAsyncIterator()
                let first = try #require(try await updates.next())
                #expect(first.values == ["a": Array("1".utf8)] && first.changed == ["a"])
                try await machine.client { other async throws in
                    try await other.keyValueStore.setString("1", forKey: "a")
                    try await other.keyValueStore.change(["b": [2]], removing: ["a"])
                }
                let second = try #require(try await updates.next())
                #expect(second.values == ["b": [2]] && second.changed == ["a", "b"])
                let waiting = Task {
                    var updates = client.keyValueStore.updates().makeAsyncIterator()
                    _ = try await updates.next()
                    do {
                        _ = try await updates.next()
                        return DocumentError.Code?.none
                    } catch {
                        return (error as? DocumentError)?.code
                    }
                }
                try await Task.sleep(for: .milliseconds(200))
                try register("domains = [\"work\"]", on: machine)
                #expect(try await waiting.value == .notPermitted)
            }
        }
    }
}
