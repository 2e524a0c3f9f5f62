import DocumentHost
import DocumentModel
import DocumentStorage
import FileCoordination
import Testing

/// When documents are looked at that programs may have changed without asking.
@Suite struct LocalChangesStateMachineTests {
    private typealias Machine = LocalChangesStateMachine
    private typealias Folder = Machine.Folder

    private func folder(_ id: String = "f") throws -> Folder {
        Folder(domain: try DomainName("work"), id: try ItemIdentifier(id))
    }

    private func name(_ name: String, in folder: Folder) throws -> Machine.Name {
        Machine.Name(try ItemName(name), in: folder)
    }

    /// A machine that watches a folder as number 7.
    private func watching(_ folder: Folder) -> Machine {
        var machine = Machine()
        _ = machine.contentsCame(in: folder)
        _ = machine.watched(folder, as: 7)
        machine.compared(folder, at: .zero)
        return machine
    }

    /// All that the machine wants until a time, with when it wants it.
    private func run(_ machine: inout Machine, until end: Duration) -> [(Duration, Machine.Action)] {
        var done: [(Duration, Machine.Action)] = []
        while let next = machine.nextDeadline, next <= end {
            done += machine.timePassed(to: next).map { (next, $0) }
        }
        return done
    }

    @Test("COORD-40: a folder is watched from when contents come into it, and compared once, for what came before")
    func watches() throws {
        let folder = try folder()
        var machine = Machine()
        #expect(machine.contentsCame(in: folder) == [.watch(folder)])
        #expect(machine.contentsCame(in: folder) == [])
        #expect(machine.watched(folder, as: 7) == [.compare(folder)])
        #expect(machine.contentsCame(in: folder) == [])
        #expect(machine.nextDeadline == nil)
    }

    @Test("INV-8: nothing is planned while nothing happens")
    func idle() throws {
        var machine = watching(try folder())
        #expect(machine.nextDeadline == nil && !machine.isBusy)
        #expect(machine.timePassed(to: .seconds(1_000_000)) == [])
    }

    @Test("COORD-40: a look is about an arrival only when nothing else was told since the last one that has ended")
    func arrivals() throws {
        let folder = try folder()
        let file = try name("a", in: folder)
        func isForArrival(_ kinds: [FolderEvent.Kind], failing: Bool = false) -> Bool {
            var machine = watching(folder)
            for kind in kinds { _ = machine.happened(FolderEvent(watch: 7, kind, "a"), at: .seconds(10)) }
            let first = run(&machine, until: .seconds(200)).map(\.1)
            #expect(first == [.look(file)])
            guard failing else { return machine.isForArrival(file) }
            machine.looked(at: file, failed: true, now: .seconds(200))
            #expect(run(&machine, until: .seconds(400)).map(\.1) == [.look(file)])
            return machine.isForArrival(file)
        }
        #expect(isForArrival([.movedHere]) && isForArrival([.movedHere, .movedHere]))
        for other in [FolderEvent.Kind.made, .written, .closed, .movedAway, .removed] {
            for kinds in [[other], [other, .movedHere], [.movedHere, other]] { #expect(!isForArrival(kinds)) }
        }
        #expect(!isForArrival([.movedHere], failing: true))

        // What happens while it is looked at is for the next look.
        var machine = watching(folder)
        _ = machine.happened(FolderEvent(watch: 7, .closed, "a"), at: .seconds(10))
        #expect(run(&machine, until: .seconds(20)).count == 1)
        _ = machine.happened(FolderEvent(watch: 7, .movedHere, "a"), at: .seconds(20))
        #expect(!machine.isForArrival(file))
        machine.looked(at: file, now: .seconds(20))
        #expect(run(&machine, until: .seconds(30)).count == 1 && machine.isForArrival(file))
        machine.looked(at: file, now: .seconds(30))
        #expect(!machine.isForArrival(file) && !machine.isBusy)
        machine.differ([DifferingFile(name: file.name, isMissing: false)], in: folder, at: .seconds(40))
        #expect(run(&machine, until: .seconds(50)).count == 1 && !machine.isForArrival(file))
    }

    @Test("DOWN-3: what was closed, or moved into its place, is looked at soon", arguments: [true, false])
    func closed(isMoved: Bool) throws {
        let folder = try folder()
        var machine = watching(folder)
        _ = machine.happened(FolderEvent(watch: 7, .written, "a"), at: .seconds(10))
        _ = machine.happened(FolderEvent(watch: 7, isMoved ? .movedHere : .closed, "a"), at: .seconds(10))
        let done = run(&machine, until: .seconds(20))
        #expect(done.map(\.1) == [.look(try name("a", in: folder))])
        #expect(done[0].0 <= .seconds(10) + .milliseconds(150))
        machine.looked(at: try name("a", in: folder), now: .seconds(11))
        #expect(machine.nextDeadline == nil && !machine.isBusy)
    }

    @Test("DOWN-3: a file that is being written is looked at when its writer pauses, and not before")
    func stillWritten() throws {
        let folder = try folder()
        var machine = watching(folder)
        var done: [(Duration, Machine.Action)] = []
        for step in 0..<100 {
            let now = Duration.milliseconds(100 * step)
            done += run(&machine, until: now)
            _ = machine.happened(FolderEvent(watch: 7, .written, "a"), at: now)
        }
        #expect(done.isEmpty)
        done += run(&machine, until: .seconds(60))
        #expect(done.map(\.1) == [.look(try name("a", in: folder))])
        #expect(done[0].0 >= .milliseconds(9900 + 1000))
    }

    @Test("DOWN-3: whoever opens, writes and closes again and again does not put the look off for ever")
    func closedAgainAndAgain() throws {
        let folder = try folder()
        var machine = watching(folder)
        var looks = 0
        for step in 0..<1000 {
            let now = Duration.milliseconds(10 * step)
            for (_, action) in run(&machine, until: now) {
                guard case .look(let name) = action else { continue }
                looks += 1
                machine.looked(at: name, now: now)
            }
            _ = machine.happened(FolderEvent(watch: 7, .written, "a"), at: now)
            _ = machine.happened(FolderEvent(watch: 7, .closed, "a"), at: now)
        }
        // Ten seconds of it.
        #expect((8...11).contains(looks))
    }

    @Test("DOWN-3: a file that is open and written to again and again is looked at all the same, after some minutes")
    func writtenForHours() throws {
        let folder = try folder()
        var machine = watching(folder)
        var looks: [Duration] = []
        for second in 1...600 {
            let now = Duration.seconds(second) / 2
            _ = machine.happened(FolderEvent(watch: 7, .written, "a"), at: now)
            for action in machine.timePassed(to: now) {
                guard case .look(let name) = action else { continue }
                looks.append(now)
                machine.looked(at: name, now: now)
            }
        }
        #expect(looks.count == 2, "\(looks)")
    }

    @Test("COORD-40: a file that is gone for a moment, while an editor saves, is no removal")
    func editorsDance() throws {
        let folder = try folder()
        var machine = watching(folder)
        for (delay, kind) in [(0, FolderEvent.Kind.movedAway), (900, .made), (910, .written), (920, .closed)] {
            #expect(run(&machine, until: .milliseconds(delay)).isEmpty)
            _ = machine.happened(FolderEvent(watch: 7, kind, "a"), at: .milliseconds(delay))
        }
        let done = run(&machine, until: .seconds(10))
        #expect(done.map(\.1) == [.look(try name("a", in: folder))])
        #expect(done[0].0 >= .milliseconds(1000))
    }

    @Test("COORD-40: a removal is looked at when the file stays away")
    func removal() throws {
        let folder = try folder()
        var machine = watching(folder)
        _ = machine.happened(FolderEvent(watch: 7, .removed, "a"), at: .zero)
        let done = run(&machine, until: .seconds(10))
        #expect(done.map(\.1) == [.look(try name("a", in: folder))])
        #expect(done[0].0 >= .seconds(2))
    }

    @Test("VER-10: what happens during a look is looked at again after it, and one look at a time is under way")
    func duringALook() throws {
        let folder = try folder()
        let name = try name("a", in: folder)
        var machine = watching(folder)
        _ = machine.happened(FolderEvent(watch: 7, .closed, "a"), at: .zero)
        #expect(run(&machine, until: .seconds(1)).count == 1)
        _ = machine.happened(FolderEvent(watch: 7, .closed, "a"), at: .seconds(1))
        #expect(run(&machine, until: .seconds(30)).isEmpty)
        #expect(machine.isBusy)
        machine.looked(at: name, now: .seconds(30))
        #expect(run(&machine, until: .seconds(31)).map(\.1) == [.look(name)])
        machine.looked(at: name, now: .seconds(31))
        #expect(!machine.isBusy && machine.nextDeadline == nil)
    }

    @Test("XFER-10: what could not be recorded is looked at again, ever more seldom, until it could")
    func retried() throws {
        let folder = try folder()
        let name = try name("a", in: folder)
        var machine = watching(folder)
        machine.suspect(name.name, in: folder, at: .zero)
        var times: [Duration] = []
        while times.count < 12, let next = machine.nextDeadline {
            #expect(machine.timePassed(to: next) == [.look(name)])
            times.append(next)
            machine.looked(at: name, failed: true, now: next)
        }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses.first.map { $0 < .milliseconds(1100) } == true)
        #expect(pauses.last.map { $0 >= .seconds(60) && $0 < .seconds(61) } == true)
        _ = run(&machine, until: .seconds(10_000))
        machine.looked(at: name, now: .seconds(10_000))
        #expect(machine.nextDeadline == nil && !machine.isBusy)
    }

    @Test("COORD-40: when events were lost, everything is compared, once for however many such events")
    func overflow() throws {
        let folder = try folder()
        var machine = watching(folder)
        let lost = FolderEvent(watch: -1, .overflow)
        #expect(machine.happened(lost, at: .zero) == [.compareAll])
        #expect(machine.happened(lost, at: .zero) == [])
        #expect(machine.happened(lost, at: .zero) == [])
        // Some were lost after it began.
        #expect(machine.comparedAll() == [.compareAll])
        #expect(machine.comparedAll() == [])
        #expect(machine.happened(lost, at: .seconds(1)) == [.compareAll])
        let found = [
            DifferingFile(name: try ItemName("a"), isMissing: false),
            DifferingFile(name: try ItemName("b"), isMissing: true),
        ]
        machine.differ(found, in: folder, at: .seconds(1))
        let done = run(&machine, until: .seconds(10))
        #expect(done.map(\.1) == [.look(try name("a", in: folder)), .look(try name("b", in: folder))])
        #expect(done[1].0 >= .seconds(3))
    }

    @Test("COORD-40: a watch that ends is set anew, if its folder is there; else its documents are compared")
    func endedWatch() throws {
        let folder = try folder()
        var machine = watching(folder)
        #expect(machine.happened(FolderEvent(watch: 7, .ended), at: .zero) == [])
        #expect(run(&machine, until: .seconds(1)).map(\.1) == [.watch(folder)])
        #expect(machine.watched(folder, as: 8) == [.compare(folder)])
        // An event of the old watch is nobody's.
        #expect(machine.happened(FolderEvent(watch: 7, .closed, "a"), at: .seconds(2)) == [])
        #expect(machine.nextDeadline == nil)

        #expect(machine.happened(FolderEvent(watch: 8, .folderMoved), at: .seconds(3)) == [.unwatch(8)])
        #expect(run(&machine, until: .seconds(4)).map(\.1) == [.watch(folder)])
        #expect(machine.missing(folder) == [.compare(folder)])
        #expect(machine.watchedCount == 0 && machine.nextDeadline == nil)
        #expect(machine.contentsCame(in: folder) == [.watch(folder)])
    }

    @Test(
        "A folder of which is told that it has contents while a watch is begun, and found missing, is looked for once more"
    )
    func toldMeanwhile() throws {
        let folder = try folder()
        var machine = LocalChangesStateMachine()
        #expect(machine.contentsCame(in: folder) == [.watch(folder)])
        #expect(machine.contentsCame(in: folder) == [])
        #expect(machine.missing(folder) == [.watch(folder)])
        #expect(machine.missing(folder) == [.compare(folder)])
        #expect(machine.contentsCame(in: folder) == [.watch(folder)])
    }

    @Test("COORD-40: a folder without contents is watched no longer, a while after the last ones left")
    func emptied() throws {
        let folder = try folder()
        var machine = watching(folder)
        machine.contentsLeft(folder, at: .zero)
        machine.contentsLeft(folder, at: .seconds(1))
        #expect(run(&machine, until: .seconds(20)).map(\.1) == [.count(folder)])
        #expect(machine.counted(folder, hasContents: true) == [])
        machine.contentsLeft(folder, at: .seconds(20))
        #expect(run(&machine, until: .seconds(40)).map(\.1) == [.count(folder)])
        #expect(machine.counted(folder, hasContents: false) == [.unwatch(7)])
        #expect(machine.watchedCount == 0)
    }

    @Test("COORD-40: at the system's limit people hear of it once, and what is not watched is compared every so often")
    func limit() throws {
        let (watched, one, other) = (try folder("w"), try folder("x"), try folder("y"))
        var machine = watching(watched)
        _ = machine.contentsCame(in: one)
        #expect(machine.refused(one, at: .zero) == [.sayThatLimitIsReached, .compare(one)])
        machine.compared(one, at: .zero)
        _ = machine.contentsCame(in: other)
        #expect(machine.refused(other, at: .seconds(1)) == [.compare(other)])
        machine.compared(other, at: .seconds(1))

        // Each round tries to watch again; only what was refused is compared.
        let round = run(&machine, until: .seconds(4))
        #expect(Set(round.map(\.1)) == [.watch(one), .watch(other)])
        #expect(machine.refused(one, at: .seconds(4)) == [.compare(one)])
        #expect(machine.watched(other, as: 9) == [.compare(other)])
        machine.compared(one, at: .seconds(4))
        // A round that takes two seconds is repeated after forty.
        machine.compared(other, at: .seconds(6))
        let next = try #require(machine.nextDeadline)
        #expect(next >= .seconds(6 + 40) && next <= .seconds(6 + 70))
        #expect(run(&machine, until: next).map(\.1) == [.watch(one)])
        #expect(machine.watched(one, as: 10) == [.compare(one)])
        machine.compared(one, at: next)
        // All are watched by now: nothing is left to be done.
        _ = run(&machine, until: .seconds(1000))
        #expect(machine.nextDeadline == nil)
    }

    @Test("AUTH-6: a domain that is gone leaves nothing to be watched or looked at")
    func removedDomain() throws {
        let folder = try folder()
        var machine = watching(folder)
        _ = machine.happened(FolderEvent(watch: 7, .closed, "a"), at: .zero)
        #expect(machine.removed(folder.domain) == [.unwatch(7)])
        #expect(!machine.isBusy)
        #expect(run(&machine, until: .seconds(10)).isEmpty)
    }

    @Test("COORD-40: folders, and names that no item can have, are none of ours")
    func others() throws {
        var machine = watching(try folder())
        for event in [
            FolderEvent(watch: 7, .made, ".docent-placeholders", isFolder: true),
            FolderEvent(watch: 7, .removed, "sub", isFolder: true), FolderEvent(watch: 7, .closed),
            FolderEvent(watch: 8, .closed, "a"),
        ] {
            #expect(machine.happened(event, at: .zero) == [])
        }
        #expect(machine.nextDeadline == nil && !machine.isBusy)
    }
}
