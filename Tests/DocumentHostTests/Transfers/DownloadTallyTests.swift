import DocumentModel
import Testing

@testable import DocumentHost

/// For whom contents were brought.
@Suite struct DownloadTallyTests {
    private let place: Location
    private let tally = DownloadTally()

    init() throws { place = try Location("work:/a.txt") }

    private func add(_ who: String...) { for who in who { tally.add(who, bytes: 5, at: place) } }

    @Test("A command that is run once for each document is told in one row, with the sums of all its processes")
    func oneShotCommands() throws {
        add("editor (process 7)")
        for process in 100..<200 { add("docent cat (process \(process))") }
        #expect(tally.all.map(\.who) == ["docent cat (several processes)", "editor (process 7)"])
        #expect(tally.all.map(\.documents) == [100, 1])
        #expect(tally.all.map(\.bytes) == [500, 5])
    }

    @Test("One process is told with its number; and who has none, by its name")
    func oneProcess() {
        add("docent cat (process 7)", "docent cat (process 7)", "embedded", "embedded")
        #expect(tally.all.map(\.who) == ["embedded", "docent cat (process 7)"])
        #expect(tally.all.map(\.documents) == [2, 2])
    }

    @Test("Programs are told apart, also through one mount; what was fetched ahead is told apart, too")
    func told() {
        add(
            "cat, through docent mount (process 7)", "grep, through docent mount (process 7)",
            "grep, through docent mount (process 7), fetched ahead", "grep, through docent mount (process 8)")
        #expect(
            tally.all.map(\.who) == [
                "grep, through docent mount (several processes)",
                "grep, through docent mount (process 7), fetched ahead", "cat, through docent mount (process 7)",
            ])
    }

    @Test("A name that looks as if it had a process in it is a name")
    func odd() {
        add("x (process 1) (process 7)", "x (process 2) (process 7)", "y (process )", "y (process z)")
        #expect(tally.all.count == 4)
        #expect(tally.all.allSatisfy { !$0.who.contains("several") })
    }
}
