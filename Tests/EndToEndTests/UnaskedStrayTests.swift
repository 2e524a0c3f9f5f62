import Foundation
import Glibc
import Testing

/// Programs leave in the tree what belongs to no document.
@Suite(.serialized) struct UnaskedStrayTests: UnaskedChangeSuite {
    @Test(
        "What lies in the tree and belongs to no document is shown, and so is what lies where a document has no contents"
    )
    func strays() throws {
        try withDocument { machine, path in
            let folder = machine.root + "/documents/d"
            try machine.write("nobody's\n", to: folder + "/new.txt")
            let isShown = try Machine.eventually {
                try machine.succeed("host", "status").contains("new.txt belongs to no")
            }
            #expect(isShown)
            unlink(folder + "/new.txt")
            #expect(try Machine.eventually { try !machine.succeed("host", "status").contains("new.txt belongs to no") })

            try machine.write("other\n", to: machine.remote + "/other.txt")
            #expect(try Machine.eventually(within: 30) { try machine.succeed("ls", "d:/").contains("other.txt") })
            try machine.write("mine\n", to: folder + "/other.txt")
            #expect(
                try Machine.eventually { try machine.succeed("status").contains("where the document has no contents") })
            #expect(machine.read(machine.remote + "/other.txt") == "other\n")
            unlink(folder + "/other.txt")
            #expect(try Machine.eventually { try machine.succeed("status").contains("in sync") })
            #expect(try machine.succeed("cat", "d:/other.txt") == "other\n")
        }
    }

    @Test("CONT-11: a file whose name no document can have is told of, and left alone, for as long as it is called so")
    func misnamed() throws {
        try withDocument { machine, path in
            let folder = machine.root + "/documents/d"
            try shell(
                machine, "cd '\(folder)'; printf x > \"$(printf 'b\\377.txt')\"; printf y > \"$(printf 'c\\td')\"")
            let status = { try machine.succeed("host", "status") }
            #expect(
                try Machine.eventually {
                    let status = try status()
                    return status.contains("d/b‛FF.txt is shown so because no document can have its name")
                        && status.contains("d/c␉d is shown so")
                }, "\(machine.logTail)")
            #expect(machine.read(machine.log)?.contains("b‛FF.txt") == true)
            #expect(try machine.succeed("ls", "d:/").contains("a.txt"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.remote) == ["a.txt"])
            // Renamed, it is a file like any other that belongs to no document.
            try shell(
                machine, "cd '\(folder)'; mv \"$(printf 'b\\377.txt')\" b.txt; rm \"$(printf 'c\\td')\"; cat b.txt")
            #expect(
                try Machine.eventually {
                    let status = try status()
                    return !status.contains("is shown so") && status.contains("b.txt belongs to no document")
                }, "\(machine.logTail)")
            try shell(machine, "test \"$(cat '\(folder)/b.txt')\" = x")
        }
    }

    @Test("What belongs to no document and came where nothing was here is shown when something comes there")
    func straysOfNew() throws {
        try withDocument { machine, path in
            let folder = machine.root + "/documents/d/sub"
            for place in [machine.remote + "/sub", folder] {
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            }
            try machine.write("theirs\n", to: machine.remote + "/sub/there.txt")
            try machine.write("nobody's\n", to: folder + "/new.txt")
            try machine.succeed("ls", "d:/sub")
            try machine.succeed("cat", "d:/sub/there.txt")
            #expect(
                try Machine.eventually { try machine.succeed("host", "status").contains("new.txt belongs to no") },
                "\(machine.logTail)")
        }
    }

    @Test(
        "What belongs to no document, and lies in folders that no host knew of when it started, is shown where it is by now"
    )
    func straysAlongWithFolders() throws {
        try withDocument { machine, path in
            try machine.succeed("host", "stop")
            let folder = machine.root + "/documents/d/sub/inner"
            for place in [machine.remote + "/sub/inner", folder] {
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            }
            try machine.write("nobody's\n", to: folder + "/new.txt")
            for place in ["d:/", "d:/sub", "d:/sub/inner"] { try machine.succeed("ls", place) }
            try machine.succeed("rename", "d:/sub", "moved")
            let place = machine.root + "/documents/d/moved/inner/new.txt"
            #expect(machine.read(place) == "nobody's\n")
            #expect(try machine.succeed("host", "status").contains("\(place) belongs to no document"))
        }
    }
}
