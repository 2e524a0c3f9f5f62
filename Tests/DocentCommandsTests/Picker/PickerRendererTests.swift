import DocentCommands
import DocumentModel
import Testing

/// The picker's screen.
@Suite struct PickerRendererTests {
    private static let sizes = [
        TerminalSize(columns: 40, rows: 10), TerminalSize(columns: 80, rows: 24), TerminalSize(columns: 200, rows: 60),
        TerminalSize(columns: 20, rows: 5), TerminalSize(columns: 12, rows: 3), TerminalSize(columns: 1, rows: 1),
    ]
    private static let names = [
        "plain.txt", "日本語の文書.txt", "e\u{301}te\u{301}.txt", "👩‍👧.png", String(repeating: "long ", count: 40),
        "\u{202E}gpj.exe",
        "नमस्ते.txt", "x\u{FE0F}",
    ]

    private func model(_ size: TerminalSize) throws -> PickerModel {
        var model = PickerModel(mode: .open, roots: [try PickerFixture.root("work")], size: size)
        _ = model.begin()
        let entries = try Self.names.map { try PickerFixture.entry("work:/\($0)") }
        _ = model.handle(
            .listed(try PickerFixture.id("work:/"), try PickerFixture.listing("work:/", entries), isFirst: true))
        return model
    }

    @Test("nothing is wider or higher than the terminal, whatever it shows", arguments: sizes)
    func everythingFits(size: TerminalSize) throws {
        var model = try model(size)
        func check(_ what: String) {
            let screen = PickerRenderer().screen(model)
            #expect(screen.lines.count == size.rows)
            for line in screen.lines {
                for piece in line.pieces where size.columns >= 12 {
                    #expect(piece.column + piece.text.displayWidth <= size.columns, "\(what): “\(piece.text)”")
                }
            }
            if let cursor = screen.cursor {
                #expect(cursor.column < size.columns && cursor.line < size.rows, "\(what)")
            }
        }
        check("the list")
        model.type("txt")
        check("a filter")
        model.type(String(repeating: "日", count: 300))
        check("a long filter")
        model.press(.control("u"))
        _ = model.handle(.refused(String(repeating: "Something is wrong. ", count: 30)))
        check("a notice")
        model.press(.enter)
        for progress in [TransferProgress(done: 5), TransferProgress(done: 50, expected: 100)] {
            _ = model.handle(.progress(progress))
            check("progress")
        }
        _ = model.handle(.exists(String(repeating: "x", count: 255)))
        check("a question")
        model = try PickerFixture.work(mode: .export, size: size)
        check("export")
        model.press(.enter)
        model.type(String(repeating: "wide 日 ", count: 40))
        check("a name")
        model.press(.home)
        check("a name's beginning")
    }

    @Test func aScreenLooksAsItIsMeant() throws {
        var model = try PickerFixture.work(size: TerminalSize(columns: 80, rows: 14))
        model.press(.down, .down, .down)
        let lines = PickerRenderer().screen(model).lines.map(\.text)
        #expect(lines[0].hasPrefix(" Open a document") && lines[0].hasSuffix("work:/"))
        #expect(lines[1].hasPrefix(" ❯ type to filter") && lines[1].hasSuffix("5"))
        #expect(lines[2].hasPrefix("    Name") && lines[2].contains("Size  Modified") && lines[2].contains("State"))
        #expect(lines[3].hasPrefix("    Accounts/"))
        #expect(
            lines[5].hasPrefix("  ○ one.txt") && lines[5].contains("1.2 KB  2026-05-2")
                && lines[5].contains("elsewhere"))
        #expect(lines[6].hasPrefix("❯ ○ photo.png"))
        #expect(lines[12].contains("“photo.png” is of the type public.png"))
        #expect(lines[13].contains("Esc cancel") && lines[13].contains("⏎ choose"))
    }

    @Test("PICK-14: what cannot be chosen is dim")
    func dimmed() throws {
        let screen = PickerRenderer().screen(try PickerFixture.work())
        func style(_ name: String) -> TextStyle? {
            screen.lines.lazy.flatMap(\.pieces).first { $0.text == name }?.style
        }
        #expect(style("photo.png")?.isDim == true && style("one.txt")?.isDim == false)
    }

    @Test func theSmallScreenKeepsNamesFilterStateAndHelp() throws {
        let model = try model(TerminalSize(columns: 40, rows: 10))
        let lines = PickerRenderer().screen(model).lines.map(\.text)
        #expect(lines[0].contains("work:/") && lines[1].contains("type to filter") && lines[9].contains("Esc cancel"))
        #expect(lines[2].contains("○ plain.txt") && lines[2].hasSuffix("1.2 KB"))
    }

    @Test("PICK-18: what a provider has to say stands above its items")
    func message() throws {
        var model = try PickerFixture.work()
        let shape = PickerShape(message: "You are offline.\nSign in\u{1B}[31m again.", columns: [.type, .size])
        let listing = try PickerFixture.listing("work:/", [try PickerFixture.entry("work:/a.txt")], shape: shape)
        _ = model.handle(.listed(try PickerFixture.id("work:/"), listing, isFirst: true))
        let lines = PickerRenderer().screen(model).lines.map(\.text)
        #expect(lines[2] == "  You are offline. Sign in\u{FFFD}[31m again.")
        #expect(lines[3].contains("Type") && lines[3].hasSuffix("Size") && lines[4].contains("public.plain-text"))
    }

    @Test func namesNeverSteerTheTerminal() throws {
        var model = try model(TerminalSize(columns: 80, rows: 24))
        _ = model.handle(.refused("evil\u{1B}]0;title\u{7}"))
        let screen = PickerRenderer().screen(model)
        for piece in screen.lines.flatMap(\.pieces) {
            #expect(!piece.text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
            #expect(!piece.text.unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test func withoutColoursTheRestStays() throws {
        let screen = PickerRenderer().screen(try PickerFixture.work())
        let plain = screen.sequence(from: nil, colors: false)
        #expect(!plain.contains("[34m") && !plain.contains(";34m") && plain.contains("\u{1B}[7m"))
        #expect(screen.sequence(from: nil, colors: true).contains("[1;34m"))
    }

    @Test func onlyWhatChangedIsDrawn() throws {
        var model = try PickerFixture.work()
        let renderer = PickerRenderer()
        let before = renderer.screen(model)
        #expect(before.sequence(from: before, colors: true).components(of: "\u{1B}[2K") == 0)
        model.press(.down)
        let after = renderer.screen(model)
        #expect(after.sequence(from: before, colors: true).components(of: "\u{1B}[2K") == 2, "two rows")
        #expect(after.sequence(from: nil, colors: true).components(of: "\u{1B}[2K") == 24)
    }

    @Test func aTerminalWithoutUnicodeGetsLetters() throws {
        let screen = PickerRenderer(glyphs: .ascii).screen(try PickerFixture.work())
        let frame = screen.lines.flatMap(\.pieces).map(\.text).joined()
        #expect(frame.utf8.allSatisfy { $0 < 0x80 })
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
