import DocumentClient
import DocumentModel
import Foundation
import Glibc
import Testing

/// What is paused is in nobody's way.
extension TransferControlTests {
    @Test(
        "VER-15, XFER-14: a folder that was paused and is removed on the remote is there as long as an edit in it waits, which is sent when it is resumed"
    )
    func pausedFolderIsRemoved() async throws {
        try await withWork(["S/E/f", "S/E/g"]) { machine, client in
            let (folder, edited) = (try Location("work:/S/E"), try Location("work:/S/E/f"))
            try await client.download(edited)
            try machine.succeed("pause", "work:/S/E")
            try machine.write("edited here", to: machine.root + "/documents/work/S/E/f")
            #expect(try await eventually { try await item(edited, client)?.state == .changed })
            try FileManager.default.removeItem(atPath: machine.remote + "/S/E")
            try await client.refresh(Location("work:/S"))
            #expect(try await eventually { try machine.docent("status", "work:/S/E/g").status != 0 })
            #expect(try await client.knownItemPage(in: folder).items.map(\.item.name) == [edited.name])
            #expect(try machine.succeed("ls", "work:/S").contains("E"))
            #expect(try machine.succeed("ls", "work:/S/E").contains("f"))
            #expect(try await client.knownItem(at: folder).item.kind == .folder)
            #expect(try machine.succeed("status", "work:/S/E").contains("resumed"))
            #expect(try machine.docent("mkdir", "work:/S/E/sub").status == 1)
            let refusal = await #expect(throws: DocumentError.self) {
                try await client.makeFolder(at: Location("work:/S/E/sub"), atOnce: true)
            }
            #expect(refusal?.code == .noSuchItem && refusal?.message.contains("was removed on the remote") == true)
            try machine.succeed("resume", "work:/S/E")
            #expect(
                try await eventually { machine.read(machine.remote + "/S/E/f") == "edited here" }, "\(machine.logTail)")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/S/E/g"))
            #expect(try await eventually { try await item(edited, client)?.state == .materialised })
        }
    }

    /// What comes of its own accord, or for somebody who waits for it.
    enum Coming: CaseIterable, Sendable {
        case pinned, inBackground, awaited
    }

    @Test(
        "XFER-14: what is to come and is paused is claimed by nobody: it can be renamed, edited beside and removed, and comes when it is resumed",
        arguments: Coming.allCases)
    func pausedIsNotClaimed(_ coming: Coming) async throws {
        let names = ["A/x", "A/y", "C/z", "P.rtfd/p1", "P.rtfd/p2"]
        try await withWork(names) { machine, client in
            // Outdated contents are to be brought anew.
            for name in ["A/y", "P.rtfd/p1", "P.rtfd/p2"] { try await client.download(Location("work:/\(name)")) }
            try machine.succeed("pause", "work:/A/x", "work:/A/y", "work:/C/z", "work:/P.rtfd/p1")
            for name in ["A/y", "P.rtfd/p1"] { try machine.write("newer than it was", to: machine.remote + "/" + name) }
            try await client.refresh(Location("work:/A"))
            try await client.refresh(Location("work:/P.rtfd"))
            let places = ["work:/A", "work:/C/z", "work:/P.rtfd"]
            var tools: [Process] = []
            defer { for tool in tools where tool.isRunning { tool.terminate() } }
            switch coming {
            case .pinned: for place in places { try machine.succeed("pin", place) }
            case .inBackground: for place in places { try machine.succeed("download", "--background", place) }
            case .awaited: tools = try places.map { try machine.begin(["download", $0]) }
            }
            for name in ["A/x", "A/y", "C/z", "P.rtfd/p1"] {
                let location = try Location("work:/\(name)")
                #expect(
                    try await eventually {
                        try await client.status(Location("work:/")).items
                            .first { $0.location == location }?.transfers.download?.wait == .resume
                    }, "\(name)")
            }
            let status = try machine.succeed("status", "--plain")
            #expect(!status.contains("In use"), "\(status)")
            #expect(status.contains("work:/A/x"), "\(status)")
            try machine.succeed("rename", "work:/A", "B", timeout: 20)
            try machine.succeed("rename", "work:/B/x", "x2", timeout: 20)
            try machine.succeed("cat", "work:/P.rtfd/p2", timeout: 20)
            try await client.coordinate(writingItemAt: Location("work:/P.rtfd/p2")) { path, _ in
                try machine.write("edited", to: path.string)
            }
            try machine.succeed("rm", "work:/C/z", timeout: 20)
            // Nobody waits for what is gone.
            if coming == .awaited { #expect(try await eventually { !tools[1].isRunning }) }
            try machine.succeed("resume", "work:/B/x2", "work:/B/y", "work:/P.rtfd/p1")
            let documents = machine.root + "/documents/work/"
            let expected = [
                "B/x2": "contents of A/x", "B/y": "newer than it was", "P.rtfd/p1": "newer than it was",
                "P.rtfd/p2": "edited",
            ]
            for (name, contents) in expected {
                #expect(try await eventually { machine.read(documents + name) == contents }, "\(name)")
            }
            for tool in [0, 2] where coming == .awaited {
                #expect(try await eventually { !tools[tool].isRunning })
                #expect(tools[tool].isRunning || tools[tool].terminationStatus == 0)
            }
        }
    }

    @Test(
        "XFER-14, XFER-3: who opens what is outdated and paused waits without a claim: it can be renamed, and is replaced when it is resumed"
    )
    func pausedOutdatedIsNotClaimed() async throws {
        try await withWork(["A/x"]) { machine, client in
            let location = try Location("work:/A/x")
            try await client.download(location)
            try machine.succeed("pause", "work:/A/x")
            try machine.write("newer than it was", to: machine.remote + "/A/x")
            try await client.refresh(Location("work:/A"))
            try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask {
                    try await client.coordinate(readingItemAt: location) { path, _ in machine.read(path.string) }
                }
                #expect(try await eventually { try await item(location, client)?.transfers.download?.wait == .resume })
                let status = try machine.succeed("status", "--plain")
                #expect(!status.contains("In use"), "\(status)")
                try machine.succeed("rename", "work:/A", "B", timeout: 20)
                try machine.succeed("resume", "work:/B/x")
                for try await text in group { #expect(text == "newer than it was") }
            }
        }
    }

    @Test("XFER-14: who waits for what was paused and resumed is not told of the pause, however late that has ended")
    func resumedBeforeItHasEnded() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d", isWritable: true)
            let gate = machine.folder + "/gate"
            var tree = RemoteTree(items: ["a": ["/", "a.txt", "a"]])
            tree.waiting["modify"] = gate
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("open", "d:/a.txt")
            let location = try Location("d:/a.txt")
            let calls = machine.root + "/.docent/providers/d/calls"
            try await machine.client { client in
                for round in 1...3 {
                    unlink(gate)
                    try await client.coordinate(writingItemAt: location) { path, _ in
                        try machine.write("changed \(round)", to: path.string)
                    }
                    // Its provider does not listen to anything until the gate is open.
                    #expect(
                        try await eventually {
                            (machine.read(calls) ?? "").split(separator: "\n").filter { $0 == "modify a" }.count
                                >= round
                        }, "\(machine.logTail)")
                    try await client.pauseTransfers(at: location)
                    try await client.resumeTransfers(at: location)
                    try await withThrowingTaskGroup { group in
                        group.addTask { try await client.waitUntilSent(location) }
                        try await Task.sleep(for: .milliseconds(100))
                        try machine.write("", to: gate)
                        try await group.waitForAll()
                    }
                    #expect(try machine.provided(in: "d").items["a"]?[2] == "changed \(round)")
                }
            }
        }
    }
}
