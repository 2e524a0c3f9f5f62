import DocumentClient
import DocumentModel
import Testing

@testable import DocentCommands

@Suite("The status screen")
struct StatusModelTests {
    private func status(_ count: Int, underWay: UInt64 = 0) throws -> StorageStatus {
        let domain = DomainDescription(
            name: try DomainName("work"), providerID: try ProviderIdentifier("org.docent.folder"),
            providerState: .running)
        let items = try (0..<count).map { number in
            var item = ItemStatus(
                item: Item(
                    id: try ItemIdentifier("\(number)"), parentID: .root, name: try ItemName("\(number).txt"),
                    kind: .document, version: try ItemVersion(content: [1])),
                location: try Location("work:/\(number).txt"), state: .sending, path: "/x")
            item.transfers.upload = TransferStatus(done: 1, expected: 4, percent: 25)
            return item
        }
        return StorageStatus(
            domains: [DomainStatus(domain: domain, items: 9)], items: items,
            transfers: TransferSummary(underWay: underWay))
    }

    private func model(_ count: Int, columns: Int = 60, rows: Int = 12, underWay: UInt64 = 0) throws -> StatusModel {
        var model = StatusModel(size: TerminalSize(columns: columns, rows: rows))
        let isOver = model.handle(.told(try status(count, underWay: underWay), CoordinationStatus()))
        #expect(!isOver)
        return model
    }

    @Test("it shows what docent status prints, under what is on its way in sums")
    func content() throws {
        let screen = StatusRenderer().screen(try model(1, columns: 100, underWay: 1))
        #expect(screen.lines[0].text == " Docent: 1 under way")
        #expect(screen.text.contains("work:/0.txt  sending, 25 % (1 B of 4 B)"))
        #expect(screen.lines.last?.text == " q ends")
    }

    @Test("arrow keys, pages, Home and End move in what does not fit, and never out of it")
    func scrolling() throws {
        var model = try model(50)
        let last = model.lines.count - model.room
        for (key, top) in [
            (Key.up, 0), (.down, 1), (.character("j"), 2), (.pageDown, 12), (.end, last), (.down, last),
            (.pageUp, last - 10),
            (.home, 0),
        ] {
            let isOver = model.handle(.key(key))
            #expect(!isOver)
            #expect(model.top == top, "\(key)")
        }
        _ = model.handle(.key(.end))
        _ = model.handle(.told(try status(0), CoordinationStatus()))
        #expect(model.top == 0, "when less is left, it is shown")
    }

    @Test("q, Escape and Control-C end it; other keys do not")
    func ending() throws {
        for key in [Key.character("q"), .escape, .control("c")] {
            var model = try model(1)
            let isOver = model.handle(.key(key))
            #expect(isOver)
        }
        var model = try model(1)
        for key in [Key.enter, .character("x")] {
            let isOver = model.handle(.key(key))
            #expect(!isOver)
        }
    }

    @Test("INV-8: it looks again by itself only while something moves")
    func moving() throws {
        #expect(try !model(0).isMoving)
        #expect(try model(1, underWay: 1).isMoving)
    }

    @Test("whatever the terminal's size, every line fits", arguments: [(1, 1), (3, 2), (20, 4), (80, 24), (300, 90)])
    func sizes(columns: Int, rows: Int) throws {
        let screen = StatusRenderer().screen(try model(40, columns: columns, rows: rows))
        #expect(screen.lines.count == rows)
        for line in screen.lines { #expect(line.text.displayWidth <= max(columns, 2)) }
    }

    @Test("an error is shown where the title was, and goes when it is over")
    func failing() throws {
        var model = try model(1)
        _ = model.handle(.failed("The host is away."))
        #expect(StatusRenderer().screen(model).lines[0].text == " The host is away.")
        _ = model.handle(.told(try status(0), CoordinationStatus()))
        #expect(StatusRenderer().screen(model).lines[0].text == " Docent")
    }
}
