import Foundation
import Testing

/// A provider that is given what documents are mounted as would wait for itself.
@Suite(.serialized, .enabled(if: Machine.canMount), .timeLimit(.minutes(3))) struct MountedFolderTests {
    private func add(_ name: String, _ folder: String, _ machine: Machine) throws -> Machine.Result {
        try machine.docent(
            "domain", "add", name, "--provider", "org.docent.folder", "--set", "folder=\(folder)", timeout: 40)
    }

    @Test(
        "DESIGN 9: no domain is made of a mount of documents, what lies in it, or a folder around it; it is said at once"
    )
    func refused() throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/F", withIntermediateDirectories: false)
            try #require(try add("work", machine.remote, machine).status == 0)
            try machine.succeed("ls", "work:/")
            let around = machine.folder + "/around"
            let (mount, link) = (around + "/Docent", machine.folder + "/link")
            try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: mount + "/work/F")
            try machine.succeed("mount", mount)
            defer { _ = try? machine.docent("unmount", mount, timeout: 40) }
            for folder in [mount, mount + "/work", mount + "/work/F", around, link] {
                let began = ContinuousClock.now
                let added = try add("again", folder, machine)
                #expect(added.status == 1 && began.duration(to: .now) < .seconds(60), "\(folder): \(added)")
                #expect(added.errors.contains("Docent's own mount at “\(mount)”"), "\(folder): \(added.errors)")
                let named = folder == link ? mount + "/work/F" : folder
                #expect(added.errors.contains("“\(named)”") && added.errors.contains("choose another folder"))
            }
            #expect(try !machine.succeed("domain", "list").contains("again"))
            let listed = try machine.run("/bin/ls", [mount + "/work"])
            #expect(listed.output == "F\n", "\(listed)")
        }
    }

    @Test(
        "DESIGN 9: documents are not mounted in a folder that a domain is made of, nor over it: its provider would see them all"
    )
    func mountedLater() throws {
        try Machine.with { machine in
            try machine.write("one\n", to: machine.remote + "/a.txt")
            let (inside, over) = (machine.remote + "/mnt", machine.folder + "/over")
            let link = machine.folder + "/link"
            for folder in [inside, over] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: over)
            try #require(try add("work", machine.remote, machine).status == 0)
            try #require(try add("other", link, machine).status == 0)
            try machine.succeed("ls", "work:/")
            try machine.succeed("ls", "other:/")
            for (mount, domain) in [(inside, "work"), (over, "other")] {
                let refused = try machine.docent("mount", mount, timeout: 60)
                defer { if refused.status == 0 { _ = try? machine.docent("unmount", mount, timeout: 40) } }
                #expect(refused.status == 1, "\(refused)")
                #expect(refused.errors.contains("provider of \(domain)"), "\(refused.errors)")
            }
            #expect(machine.mounts.isEmpty)
            try machine.write("two, longer\n", to: machine.remote + "/b.txt")
            try machine.succeed("refresh", "work:/")
            #expect(try machine.succeed("cat", "work:/b.txt") == "two, longer\n")
        }
    }
}
