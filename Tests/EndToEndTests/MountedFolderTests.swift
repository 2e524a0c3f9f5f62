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

    @Test("PROV-18: where documents are mounted in, or over, a folder that is provided, nothing hangs")
    func mountedLater() throws {
        try Machine.with { machine in
            try machine.write("one\n", to: machine.remote + "/a.txt")
            let (inside, over) = (machine.remote + "/mnt", machine.folder + "/over")
            for folder in [inside, over] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            }
            try #require(try add("work", machine.remote, machine).status == 0)
            try #require(try add("other", over, machine).status == 0)
            try machine.succeed("ls", "work:/")
            try machine.succeed("ls", "other:/")
            for mount in [inside, over] {
                try machine.succeed("mount", mount)
                defer { _ = try? machine.docent("unmount", mount, timeout: 40) }
                for _ in 0..<2 {
                    try machine.write("two, longer\n", to: machine.remote + "/b.txt")
                    for domain in ["work:/", "other:/"] {
                        _ = try machine.docent("refresh", domain, timeout: 60)
                        _ = try machine.docent("ls", domain, timeout: 60)
                    }
                    if mount == inside { #expect(try machine.succeed("cat", "work:/b.txt") == "two, longer\n") }
                    // A provider that is started now finds it there.
                    try machine.succeed("host", "stop")
                }
            }
        }
    }
}
