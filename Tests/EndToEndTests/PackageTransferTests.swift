import DocumentModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import DocumentClient

/// Packages that come into a domain and leave it, as a whole or not at all (PICK-1, PICK-3, PICK-4).
@Suite(.serialized) struct PackageTransferTests: PackageSuite {
    @Test("PICK-1, CONT-12: a package of which a part is not here, because of its name, is not imported without it")
    func clash() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            try machine.provide(
                RemoteTree(items: [
                    "p": ["/", "note.rtfd", nil], "a": ["p", "Image.png", "one\n"], "b": ["p", "image.png", "two\n"],
                ]), in: "d")
            try machine.succeed("refresh", "d:/")
            try await machine.client { client async throws in
                let copy = FilePath(machine.folder + "/copy.rtfd")
                let refusal: DocumentError?
                do {
                    try await client.withPickerSession(try PickerRequest(.import, types: [.content])) { session in
                        let root = try #require(session.roots.first)
                        let entry = try #require(try await session.listing(of: root.id).entries.first)
                        _ = try await session.importDocument(entry.id, to: copy)
                    }
                    refusal = nil
                } catch {
                    refusal = error as? DocumentError
                }
                #expect(refusal?.code == .nameClash, "\(refusal as Any)")
                #expect(refusal?.message.contains("rename one of them") == true)
                #expect(!FileManager.default.fileExists(atPath: copy.string))
            }
        }
    }

    /// A local package with parts in folders, and what is in it.
    private func makeLocal(_ machine: Machine) throws -> (path: String, parts: [String]) {
        let path = machine.folder + "/work/local.rtfd"
        let parts = ["TXT.rtf", "inner/deep/b.txt", "a.png"]
        try FileManager.default.createDirectory(atPath: path + "/inner/deep", withIntermediateDirectories: true)
        for part in parts { try machine.write("of \(part)", to: path + "/" + part) }
        return (path, parts)
    }

    @Test("PICK-3, COORD-21: a package is exported with all of its parts, and the original stays")
    func exported() throws {
        try withPackage { machine, remote in
            let (local, parts) = try makeLocal(machine)
            #expect(try machine.succeed("export", local, "d:/").contains("d:/local.rtfd"))
            for part in parts {
                #expect(machine.read(machine.remote + "/local.rtfd/" + part) == "of \(part)")
                #expect(machine.read(local + "/" + part) == "of \(part)")
            }
            #expect((try machine.json("stat", "d:/local.rtfd") as? [String: Any])?["kind"] as? String == "package")
            let again = try machine.docent("export", local, "d:/note.rtfd")
            #expect(again.status != 0 && again.errors.contains("exists already"))
            let replacing = try machine.docent("export", "--force", local, "d:/note.rtfd")
            #expect(replacing.status != 0 && replacing.errors.contains("a package replaces nothing"))
            let folder = try machine.docent("export", local, "d:/local")
            #expect(folder.status != 0 && folder.errors.contains("mere folder"))
            #expect(machine.read(remote + "/TXT.rtf") == "text\n")
            let plain = machine.folder + "/work/folder"
            try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: false)
            #expect(try machine.docent("export", plain, "d:/").status != 0)
        }
    }

    @Test("PICK-3, PICK-6, COORD-21: of a package that cannot be sent as it is, nothing is made and nothing is lost")
    func notExported() throws {
        try withPackage { machine, _ in
            let (local, parts) = try makeLocal(machine)
            symlink("/etc/passwd", local + "/link")
            let refused = try machine.docent("export", local, "d:/")
            #expect(refused.status != 0 && machine.read(machine.remote + "/local.rtfd/TXT.rtf") == nil)
            #expect(try machine.docent("stat", "d:/local.rtfd").status != 0)
            unlink(local + "/link")

            try machine.succeed("ls", "d:/")
            rename(machine.remote, machine.remote + "-away")
            let failed = try machine.docent("export", local, "d:/")
            #expect(failed.status != 0, "\(failed)")
            rename(machine.remote + "-away", machine.remote)
            for part in parts { #expect(machine.read(local + "/" + part) == "of \(part)") }
        }
    }

    @Test("PICK-4, PICK-6, COORD-21: a package is moved in a picker session as a whole, and its old place is empty")
    func moved() async throws {
        try await Machine.with { (machine: Machine) async throws in
            let (local, parts) = try makeLocal(machine)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try await machine.client { client async throws in
                let request = try PickerRequest(.move, originalPath: local)
                try await client.withPickerSession(request) { session in
                    let root = try #require(session.roots.first)
                    do {
                        _ = try await session.put(as: ItemName("plain"), in: root.id)
                        Issue.record("a package became a folder")
                    } catch { #expect((error as? DocumentError)?.code == .invalidArgument) }
                }
                try await client.withPickerSession(request) { session in
                    let root = try #require(session.roots.first)
                    let picked = try await session.put(as: ItemName("moved.rtfd"), in: root.id)
                    #expect(picked.status.item.kind == .package && picked.path != nil)
                }
                for part in parts { #expect(machine.read(machine.remote + "/moved.rtfd/" + part) == "of \(part)") }
                #expect(!FileManager.default.fileExists(atPath: local))
                try await client.coordinate(readingItemAt: Location("d:/moved.rtfd")) { path, _ in
                    for part in parts { #expect(machine.read(path.string + "/" + part) == "of \(part)") }
                }
            }
        }
    }
}
