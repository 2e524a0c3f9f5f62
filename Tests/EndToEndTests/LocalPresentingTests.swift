import DocumentModel
import DocumentWire
import Foundation
import Synchronization
import Testing

@testable import DocumentClient

/// What a program presents outside of any domain, and another one moves into a domain and out of it (CONT-8, CONT-9).
@Suite(.serialized, .timeLimit(.minutes(5))) struct LocalPresentingTests {
    private func withDomain(_ body: (Machine, String) async throws -> Void) async throws {
        try await Machine.with { (machine: Machine) async throws in
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "d:/")
            let work = try #require(realpath(machine.folder + "/work", nil))
            defer { free(work) }
            try await body(machine, String(cString: work))
        }
    }

    @Test(
        "CONT-8, COORD-24: a program that presents a local file lets go and saves before another moves it into a domain, goes on with it there, and follows it out and in again"
    )
    func follows() async throws {
        try await withDomain { machine, work in
            try machine.write("old\n", to: work + "/a.txt")
            try await machine.client { client in
                let editor = LocalEditor(work + "/a.txt", unsaved: "unsaved\n")
                try await client.addPresenter(editor)
                try machine.succeed("move", "--no-wait", "a.txt", "d:/a.txt")
                #expect(await editor.hears("reacquire"))
                // Then it is read, to be sent.
                #expect(editor.messages.prefix(4) == ["relinquish", "save", "moved to d:/a.txt", "reacquire"])
                #expect(Machine.eventually { machine.read(machine.remote + "/a.txt") == "unsaved\n" })
                // From here on it is one of the item.
                try machine.succeed("edit", "d:/a.txt", "--with", "sh", "-c", "echo more >> \"$0\"")
                #expect(await editor.hears("changed"))
                try machine.succeed("move", "d:/a.txt", "b.txt")
                #expect(await editor.hears("moved to \(work)/b.txt"), "\(editor.messages)")
                #expect(machine.read(work + "/b.txt") == "unsaved\nmore\n")
                // And in again, once the provider has it.
                try machine.succeed("move", "b.txt", "d:/c.txt")
                #expect(await editor.hears("moved to d:/c.txt"), "\(editor.messages)")
                // Also onto what is there already.
                try machine.succeed("move", "d:/c.txt", "e.txt")
                #expect(await editor.hears("moved to \(work)/e.txt"), "\(editor.messages)")
                try machine.write("there before", to: machine.remote + "/f.txt")
                try machine.succeed("move", "--force", "e.txt", "d:/f.txt")
                #expect(await editor.hears("moved to d:/f.txt"), "\(editor.messages)")
            }
        }
    }

    @Test("CONT-8, CONT-9: so do those who present what is inside of a folder that moves")
    func inside() async throws {
        try await withDomain { machine, work in
            try FileManager.default.createDirectory(atPath: work + "/f/deep", withIntermediateDirectories: true)
            try machine.write("a\n", to: work + "/f/deep/a.txt")
            try machine.write("fine\n", to: work + "/fine.txt")
            try await machine.client { client in
                let (editor, other) = (LocalEditor(work + "/f/deep/a.txt"), LocalEditor(work + "/fine.txt"))
                for presenter in [editor, other] { try await client.addPresenter(presenter) }
                try machine.succeed("move", "f", "d:/g")
                #expect(await editor.hears("moved to d:/g/deep/a.txt"), "\(editor.messages)")
                try machine.succeed("move", "d:/g", "out")
                #expect(await editor.hears("moved to \(work)/out/deep/a.txt"), "\(editor.messages)")
                #expect(other.messages == [])
            }
        }
    }

    @Test("CONT-8, PICK-4: so do those of a package and of its parts, that is moved in a picker session")
    func package() async throws {
        try await withDomain { machine, work in
            mkdir(work + "/a.rtfd", 0o755)
            try machine.write("text\n", to: work + "/a.rtfd/TXT.rtf")
            try await machine.client { client in
                let editor = LocalEditor(work + "/a.rtfd/TXT.rtf", unsaved: "unsaved\n")
                let whole = LocalEditor(work + "/a.rtfd")
                for presenter in [editor, whole] { try await client.addPresenter(presenter) }
                let request = try PickerRequest(.move, originalPath: work + "/a.rtfd")
                try await client.withPickerSession(request) { session in
                    let root = try #require(session.roots.first)
                    _ = try await session.put(as: ItemName("b.rtfd"), in: root.id)
                }
                #expect(await editor.hears("moved to d:/b.rtfd/TXT.rtf"), "\(editor.messages)")
                #expect(await whole.hears("moved to d:/b.rtfd"), "\(whole.messages)")
                #expect(editor.messages.prefix(2) == ["relinquish", "save"])
                #expect(machine.read(machine.remote + "/b.rtfd/TXT.rtf") == "unsaved\n")
            }
        }
    }

    @Test("CONT-8, COORD-25: when it cannot let go, nothing is moved, and whoever moves is told why")
    func refuses() async throws {
        try await withDomain { machine, work in
            try machine.write("old\n", to: work + "/a.txt")
            try await machine.client { client in
                let editor = LocalEditor(work + "/a.txt", refusal: "I am in the middle of it; close me first.")
                try await client.addPresenter(editor)
                let moved = try machine.docent("move", "--no-wait", "a.txt", "d:/a.txt")
                #expect(moved.status == 1 && moved.errors.contains("I am in the middle of it"), "\(moved.errors)")
                #expect(machine.read(work + "/a.txt") == "old\n")
                #expect(try machine.succeed("ls", "d:/") == "")
            }
            // One that is gone keeps nobody from it.
            try machine.succeed("move", "--no-wait", "a.txt", "d:/a.txt")
            #expect(machine.read(work + "/a.txt") == nil)
        }
    }

    @Test("CONT-8: only what is there for the tool, outside of the storage root, and could be moved in is presented")
    func hostilePaths() async throws {
        try await withDomain { machine, work in
            try machine.write("a\n", to: work + "/a.txt")
            symlink("a.txt", work + "/link")
            symlink(".", work + "/around")
            try machine.write("here\n", to: machine.remote + "/b.txt")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("open", "d:/b.txt")
            try await machine.client { client in
                let numbers = Mutex<UInt64>(0)
                func refusal(_ path: String) async -> DocumentError.Code? {
                    let number = numbers.withLock { number in
                        number += 1
                        return number
                    }
                    do {
                        try await client.tell(
                            .addPresenter(
                                PresenterRegistration(number: number, place: .local(path), capabilities: .all)))
                        return nil
                    } catch {
                        return error.code
                    }
                }
                #expect(await refusal("a.txt") != nil)
                #expect(await refusal(work + "/../work/a.txt") != nil)
                #expect(await refusal(work + "/" + String(repeating: "x/", count: 4000)) != nil)
                #expect(await refusal(work + "/none.txt") == .noSuchItem)
                #expect(await refusal(work + "/link") == .invalidArgument)
                #expect(await refusal("/dev/null") == .invalidArgument)
                #expect(await refusal("/") == .invalidArgument)
                #expect(await refusal(machine.root + "/documents/d/b.txt") == .invalidArgument)
                #expect(await refusal(work + "/around/a.txt") == nil)
            }
        }
    }
}
