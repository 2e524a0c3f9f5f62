import Foundation
import Glibc
import Testing

/// A conflict of two machines over one folder whose provider keeps both sides: on the remote and on both, until one of
/// them resolves it (VER-2).
@Suite(.serialized, .timeLimit(.minutes(5))) struct SharedConflictTests {
    private let document = "d:/a.txt"

    /// Ann is in conflict, and what she has written is kept on the remote; Ben has the document as it is there.
    private func withConflict(_ body: (Machine, Machine) throws -> Void) throws {
        try withClash { ann, ben in
            try ann.succeed("resume", document)
            try expectShared(ann, ben)
            try body(ann, ben)
        }
    }

    /// Both have changed the document; what Ann has written waits.
    private func withClash(annWrites time: String? = nil, _ body: (Machine, Machine) throws -> Void) throws {
        try Machine.with(environment: ["DOCENT_DEVICE_NAME": "ann's"]) { ann in
            try Machine.with(environment: ["DOCENT_DEVICE_NAME": "ben's"]) { ben in
                try ann.write("first\n", to: ann.remote + "/a.txt")
                for machine in [ann, ben] {
                    try machine.succeed(
                        "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(ann.remote)")
                    try machine.succeed("open", document)
                }
                try ann.succeed("pause", document)
                try edit(ann, "of ann", "--no-wait", at: time)
                try edit(ben, "of ben, longer")
                try body(ann, ben)
            }
        }
    }

    /// - Parameter time: what the machine's clock says; nil: it is right.
    private func edit(
        _ machine: Machine, _ text: String, _ option: String = "--with", at time: String? = nil
    ) throws {
        let words = option == "--with" ? ["edit", document] : ["edit", option, document]
        let touch = time.map { "; touch -d \($0) \"$1\"" } ?? ""
        let command = words + ["--with", "sh", "-c", "echo '\(text)' > \"$1\"" + touch, "sh", "{}"]
        let result = try machine.run(machine.folder + "/bin/docent", command)
        #expect(result.status == 0, "\(result)")
    }

    private func versions(_ machine: Machine) throws -> [[String: Any]] {
        try machine.json("versions", document) as? [[String: Any]] ?? []
    }

    private func sides(_ machine: Machine) throws -> [[String: Any]] {
        try versions(machine).filter { $0["kind"] as? String == "conflict" }
    }

    private func isInConflict(_ machine: Machine) throws -> Bool {
        try machine.succeed("conflicts").contains(document)
    }

    private func kept(_ machine: Machine) -> [String] {
        let folder = machine.remote + "/.docent-versions"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { machine.read("\(folder)/\($0)/contents") }
    }

    private func expectShared(_ ann: Machine, _ ben: Machine, _ text: String = "of ann\n") throws {
        #expect(try Machine.eventually(within: 60) { try isInConflict(ann) }, "\(ann.logTail)")
        #expect(Machine.eventually(within: 60) { kept(ann) == [text] }, "\(kept(ann)) \(ann.logTail)")
        #expect(try Machine.eventually(within: 60) { try sides(ben).count == 1 }, "\(ben.logTail)")
    }

    /// Nothing is in conflict anywhere any more, and nothing is kept; both have these contents.
    private func expectResolved(_ ann: Machine, _ ben: Machine, _ text: String) throws {
        for machine in [ann, ben] {
            #expect(try Machine.eventually(within: 60) { try !isInConflict(machine) }, "\(machine.logTail)")
        }
        #expect(Machine.eventually(within: 60) { ann.read(ann.remote + "/a.txt") == text })
        for machine in [ann, ben] {
            let isSame = try Machine.eventually(within: 60) { try machine.succeed("cat", document) == text }
            #expect(isSame, "\(machine.logTail)")
        }
        #expect(Machine.eventually(within: 60) { kept(ann).isEmpty }, "\(kept(ann)) \(ann.logTail) \(ben.logTail)")
    }

    private func older(_ machine: Machine) throws -> [String?] {
        let versions = try machine.json("versions", document) as? [[String: Any]] ?? []
        let older = versions.filter { $0["kind"] as? String == "older" }
        return older.map { ($0["path"] as? String).flatMap(machine.read) }
    }

    @Test("VER-2, VER-8, VER-9: the other device lists both sides, and fetches the one it has not under the same name")
    func listed() throws {
        try withConflict { ann, ben in
            #expect(try ben.succeed("conflicts").contains(document))
            let side = try #require(try sides(ben).first)
            #expect(side["device"] as? String == "ann's")
            #expect(side["path"] is NSNull || side["path"] == nil, "\(side)")
            #expect(try ben.succeed("status").contains("Another device is in conflict"))
            try ben.succeed("versions", document, "--fetch")
            let fetched = try #require(try sides(ben).first)
            #expect((fetched["path"] as? String).flatMap(ben.read) == "of ann\n")
            #expect(fetched["id"] as? String == side["id"] as? String)
            try ben.succeed("host", "stop")
            let later = try #require(try sides(ben).first)
            #expect(later["id"] as? String == side["id"] as? String)
            #expect((later["path"] as? String).flatMap(ben.read) == "of ann\n")
            let refused = try ben.docent("resolve", document, "--merge")
            #expect(refused.status == 1 && refused.errors.contains("not kept here"), "\(refused)")
            #expect(try sides(ann).count == 1, "her own is no other side")
            // Nobody sees it as a document.
            #expect(try !ben.succeed("ls", "d:/").contains("docent"))
        }
    }

    @Test(
        "VER-5, VER-6: the other device keeps what the document is; the one in conflict follows, and has its side still"
    )
    func keepCurrent() throws {
        try withConflict { ann, ben in
            try ben.succeed("resolve", document, "--keep", "local")
            try expectResolved(ann, ben, "of ben, longer\n")
            #expect(try older(ann).contains("of ann\n"))
        }
    }

    @Test("VER-5, VER-6: the other device puts the other side in the document's place, and the one in conflict follows")
    func keepOther() throws {
        try withConflict { ann, ben in
            try ben.succeed("resolve", document, "--keep", "remote")
            try expectResolved(ann, ben, "of ann\n")
            #expect(try older(ben).contains("of ben, longer\n"))
        }
    }

    @Test(
        "VER-3, VER-12: both devices name the same side the current one, in whichever's place it lies",
        arguments: [true, false])
    func winner(isAnns: Bool) throws {
        try withClash(annWrites: isAnns ? "2040-01-01" : nil) { ann, ben in
            try ann.succeed("resume", document)
            #expect(Machine.eventually(within: 60) { kept(ann) == ["of ann\n"] }, "\(ann.logTail)")
            let isSeen = try Machine.eventually(within: 60) {
                try versions(ben).filter { ["current", "conflict"].contains($0["kind"] as? String) }.count == 2
            }
            #expect(isSeen, "\(ben.logTail)")
            try ben.succeed("versions", document, "--fetch")
            for machine in [ann, ben] {
                let found = try versions(machine)
                let current = try #require(found.first)
                #expect(current["kind"] as? String == "current")
                let text = (current["path"] as? String).flatMap(machine.read)
                #expect(text == (isAnns ? "of ann\n" : "of ben, longer\n"), "\(found)")
                let other = try #require(found.dropFirst().first)
                #expect(other["kind"] as? String == "conflict")
                #expect((other["reason"] as? String)?.isEmpty == false, "\(found)")
            }
            guard isAnns, let side = try versions(ben).first?["id"] as? String else { return }
            let removed = try ben.run(ben.folder + "/bin/docent", ["versions", document, "--remove", side])
            #expect(removed.status != 0)
            #expect(removed.errors.contains("docent resolve d:/a.txt says which contents it keeps"), "\(removed)")
            try ben.succeed("resolve", document, "--keep", "remote")
            try expectResolved(ann, ben, "of ann\n")
        }
    }

    @Test("VER-5: what another side takes the place of stays as a version, also on a device that had evicted it")
    func otherSideOverEvicted() throws {
        try withConflict { ann, ben in
            try ben.succeed("evict", document)
            try ben.succeed("resolve", document, "--keep", "remote")
            try expectResolved(ann, ben, "of ann\n")
            let kept = try versions(ben)
            let texts = kept.compactMap { ($0["path"] as? String).flatMap(ben.read) }
            #expect(texts.contains("of ben, longer\n"), "\(kept)")
        }
    }

    @Test("VER-5: the other device keeps both, one as a new document")
    func keepBoth() throws {
        try withConflict { ann, ben in
            try ben.succeed("resolve", document, "--as", "hers.txt")
            try expectResolved(ann, ben, "of ben, longer\n")
            #expect(ann.read(ann.remote + "/hers.txt") == "of ann\n")
        }
    }

    @Test("VER-7: a side that is removed on the other device is resolved")
    func removed() throws {
        try withConflict { ann, ben in
            let side = try #require(try sides(ben).first?["id"] as? String)
            try ben.succeed("versions", document, "--remove", side)
            try expectResolved(ann, ben, "of ben, longer\n")
        }
    }

    @Test("VER-6: what the device in conflict resolves is gone on the remote and on the other device")
    func resolvedThere() throws {
        try withConflict { ann, ben in
            try ann.succeed("resolve", document, "--keep", "local")
            try expectResolved(ann, ben, "of ann\n")
        }
    }

    @Test("VER-2: what is changed in conflict is kept in place of what was kept before")
    func changedInConflict() throws {
        try withConflict { ann, ben in
            try ann.write("of ann, once more\n", to: ann.root + "/documents/d/a.txt")
            try expectShared(ann, ben, "of ann, once more\n")
            try ben.succeed("resolve", document, "--keep", "remote")
            try expectResolved(ann, ben, "of ann, once more\n")
        }
    }

    @Test("Nothing is lost of what was changed while the conflict was resolved elsewhere: it stays in conflict")
    func changedMeanwhile() throws {
        try withConflict { ann, ben in
            try ann.succeed("host", "stop")
            try ben.succeed("resolve", document, "--keep", "local")
            #expect(Machine.eventually(within: 60) { kept(ann).isEmpty })
            try ann.write("of ann, later\n", to: ann.root + "/documents/d/a.txt")
            try ann.succeed("status")
            try expectShared(ann, ben, "of ann, later\n")
        }
    }

    @Test("VER-2: a host that dies before its side is kept, or after, keeps it once", arguments: [true, false])
    func killed(before: Bool) throws {
        try withClash { ann, ben in
            let folder = ann.remote + "/.docent-versions"
            // Nothing can be kept while something else has its name.
            if before { try ann.write("", to: folder) }
            try ann.succeed("resume", document)
            #expect(try Machine.eventually(within: 60) { try isInConflict(ann) }, "\(ann.logTail)")
            if !before { #expect(Machine.eventually(within: 60) { kept(ann).count == 1 }, "\(ann.logTail)") }
            if let daemon = ann.daemon { kill(daemon, SIGKILL) }
            #expect(Machine.eventually { ann.daemon == nil && ann.providers.isEmpty })
            if before { unlink(folder) }
            try ann.succeed("status")
            try expectShared(ann, ben)
            try ann.succeed("resolve", document, "--keep", "remote")
            try expectResolved(ann, ben, "of ben, longer\n")
        }
    }
}
