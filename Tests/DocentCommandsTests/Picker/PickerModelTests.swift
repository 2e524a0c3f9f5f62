import DocentCommands
import DocumentModel
import Testing

/// What keys and answers make of the picker.
@Suite struct PickerModelTests {
    @Test func foldersComeFirstAndOneMovesWithinTheList() throws {
        var model = try PickerFixture.work()
        #expect(model.names == ["Accounts", "Letters", "one.txt", "photo.png", "two.txt"])
        model.press(.up)
        #expect(model.selectedName == "Accounts")
        model.press(.down, .down)
        #expect(model.selectedName == "one.txt")
        model.press(.end)
        #expect(model.selectedName == "two.txt")
        model.press(.down, .pageUp, .home)
        #expect(model.selectedName == "Accounts")
    }

    @Test func typingFiltersByAllWordsAndBackspaceUndoesIt() throws {
        var model = try PickerFixture.work()
        model.type("TXT o")
        #expect(model.names == ["one.txt", "two.txt"] && model.level.filter == "TXT o")
        model.press(.down)
        model.press(.control("u"))
        #expect(model.names.count == 5 && model.selectedName == "two.txt", "one stays at what was found")
        model.type("nothing")
        #expect(model.names.isEmpty)
        #expect(model.press(.enter).isEmpty)
        model.press(.control("w"))
        #expect(model.names.count == 5)
    }

    @Test func oneGoesIntoFoldersAndOutAgainToWhereOneWas() throws {
        var model = try PickerFixture.work()
        model.press(.down)
        #expect(model.press(.right) == [.list(try PickerFixture.id("work:/Letters"), page: nil, refresh: false)])
        #expect(model.level.isLoading && model.names.isEmpty)
        let letter = try PickerFixture.entry("work:/Letters/a.txt")
        _ = model.handle(
            .listed(
                try PickerFixture.id("work:/Letters"), try PickerFixture.listing("work:/Letters", [letter]),
                isFirst: true))
        #expect(model.names == ["a.txt"])
        #expect(model.press(.left).isEmpty)
        #expect(model.selectedName == "Letters")
        #expect(model.press(.backspace).isEmpty)
        #expect(model.names == ["work"], "the list of domains is around the domains")
        #expect(model.press(.left).isEmpty && model.names == ["work"])
        #expect(model.press(.enter) == [.list(try PickerFixture.id("work:/"), page: nil, refresh: false)])
    }

    @Test("PICK-14: what cannot be chosen is not, and it is said why")
    func unselectable() throws {
        var model = try PickerFixture.work()
        model.type("photo")
        #expect(model.press(.enter).isEmpty)
        #expect(model.notice?.contains("public.png") == true)
        model.press(.control("u"))
        #expect(model.notice == nil)
        model.type("one")
        let entry = try PickerFixture.entry("work:/one.txt")
        #expect(model.press(.enter) == [.choose([entry], replacing: false)])
    }

    @Test("PICK-16: Escape cancels, in the list and while something is carried out")
    func escape() throws {
        var model = try PickerFixture.work()
        model.type("one")
        #expect(model.press(.escape) == [.cancel])
        #expect(model.press(.control("c")) == [.cancel])
        model.press(.enter)
        #expect(model.work == .checking)
        #expect(model.press(.character("x"), .enter).isEmpty, "nothing else is taken meanwhile")
        _ = model.handle(.progress(TransferProgress(done: 1, expected: 2)))
        #expect(model.work == .transferring(TransferProgress(done: 1, expected: 2)))
        #expect(model.press(.escape) == [.cancel])
    }

    @Test func aRefusedChoiceIsToldAndOneGoesOn() throws {
        var model = try PickerFixture.work()
        model.type("one")
        model.press(.enter)
        _ = model.handle(.refused("The provider would rather not."))
        #expect(model.work == nil && model.notice == "The provider would rather not.")
        model.press(.control("u"))
        #expect(model.notice == nil && model.names.count == 5)
    }

    @Test func pagesAreAskedForUntilAllIsThereAndTheSelectionStays() throws {
        var model = try PickerFixture.work()
        model.press(.control("r"))
        let id = try PickerFixture.id("work:/")
        let page = try PageToken([1])
        let first = try PickerFixture.listing("work:/", [try PickerFixture.entry("work:/m.txt")], next: page)
        #expect(model.handle(.listed(id, first, isFirst: true)) == [.list(id, page: page, refresh: false)])
        #expect(model.level.isLoading)
        model.press(.down)
        let second = try PickerFixture.listing(
            "work:/", [try PickerFixture.entry("work:/A", .folder), try PickerFixture.entry("work:/z.txt")])
        #expect(model.handle(.listed(id, second, isFirst: false)).isEmpty)
        #expect(model.names == ["A", "m.txt", "z.txt"] && model.selectedName == "m.txt" && !model.level.isLoading)
    }

    @Test("PICK-20: a folder that is still told of is looked at again")
    func stillLoading() throws {
        var model = try PickerFixture.work()
        let id = try PickerFixture.id("work:/")
        let some = try PickerFixture.listing("work:/", [try PickerFixture.entry("work:/b.txt")], isLoading: true)
        #expect(model.handle(.listed(id, some, isFirst: true)) == [.listSoon(id)])
        #expect(model.level.isLoading && model.names == ["b.txt"])
    }

    @Test func anAnswerForAFolderThatWasLeftIsDropped() throws {
        var model = try PickerFixture.work()
        model.press(.right)
        model.press(.left)
        let names = model.names
        let late = try PickerFixture.listing("work:/Accounts", [try PickerFixture.entry("work:/Accounts/x")])
        #expect(model.handle(.listed(try PickerFixture.id("work:/Accounts"), late, isFirst: true)).isEmpty)
        #expect(model.names == names)
    }

    @Test("PICK-3: in export one goes to a folder, and gives the document a name there")
    func exporting() throws {
        var model = try PickerFixture.work(mode: .export)
        #expect(model.selectedName == "Put “q3.pdf” here")
        model.press(.enter)
        #expect(model.prompt == .name(TextField("q3.pdf")))
        model.press(.control("u"))
        model.type("a/b")
        #expect(model.press(.enter).isEmpty && model.notice != nil, "a name is one component")
        model.press(.control("u"))
        model.type("new.pdf")
        let root = try PickerFixture.id("work:/")
        #expect(model.press(.enter) == [.put(try ItemName("new.pdf"), in: root, replacing: false)])
    }

    @Test("PICK-19: what is there already is replaced only when one says so")
    func replacing() throws {
        var model = try PickerFixture.work(mode: .move)
        model.press(.enter, .enter)
        _ = model.handle(.exists("q3.pdf"))
        #expect(model.prompt == .replace("q3.pdf") && model.work == nil)
        #expect(model.press(.character("x")).isEmpty && model.prompt != nil)
        model.press(.character("n"))
        #expect(model.prompt == .name(TextField("q3.pdf")), "another name can be given")
        model.press(.enter)
        _ = model.handle(.exists("q3.pdf"))
        let root = try PickerFixture.id("work:/")
        #expect(model.press(.character("y")) == [.put(try ItemName("q3.pdf"), in: root, replacing: true)])
    }

    @Test("PICK-17: in export and move folders can be made")
    func newFolder() throws {
        var model = try PickerFixture.work(mode: .export)
        model.press(.control("n"))
        model.type("New")
        let root = try PickerFixture.id("work:/")
        #expect(model.press(.enter) == [.makeFolder(try ItemName("New"), in: root)])
        _ = model.handle(.madeFolder(try PickerFixture.entry("work:/New", .folder, selectable: true), in: root))
        #expect(model.selectedName == "New" && model.work == nil)
        model.press(.control("n"))
        #expect(model.press(.escape).isEmpty && model.prompt == nil, "Escape leaves the prompt first")

        var opening = try PickerFixture.work(mode: .open)
        opening.press(.control("n"))
        #expect(opening.prompt == nil)
    }

    @Test func whereNothingCanBePutItIsSaid() throws {
        var model = try PickerFixture.work(mode: .export)
        model.press(.left)
        model.press(.control("s"))
        #expect(model.prompt == nil && model.notice?.contains("go into a folder") == true)
    }

    @Test("a provider's places and beginning are followed, and the way out leads through the folders around")
    func shapes() throws {
        var model = PickerModel(
            mode: .open, roots: [try PickerFixture.root("work"), try PickerFixture.root("home")],
            size: TerminalSize(columns: 80, rows: 24))
        #expect(model.begin().isEmpty && model.names == ["work", "home"])
        model.press(.enter)
        let (root, deep) = (try PickerFixture.id("work:/"), try PickerFixture.id("work:/A/B"))
        let shape = PickerShape(places: [PickerPlace(title: "Recent", id: deep)], start: deep)
        let listing = try PickerFixture.listing("work:/", [try PickerFixture.entry("work:/a.txt")], shape: shape)
        #expect(model.handle(.listed(root, listing, isFirst: true)) == [.list(deep, page: nil, refresh: false)])
        _ = model.handle(.listed(deep, try PickerFixture.listing("work:/A/B", []), isFirst: true))
        #expect(model.press(.left) == [.list(try PickerFixture.id("work:/A"), page: nil, refresh: false)])
        _ = model.handle(
            .listed(try PickerFixture.id("work:/A"), try PickerFixture.listing("work:/A", []), isFirst: true))
        #expect(model.press(.left).isEmpty)
        #expect(model.names == ["Recent", "a.txt"])
        #expect(model.press(.home, .enter) == [.list(deep, page: nil, refresh: false)])
    }

    @Test func aFolderThatCannotBeListedSaysWhyAndCanBeTriedAgain() throws {
        var model = try PickerFixture.work()
        model.press(.right)
        let id = try PickerFixture.id("work:/Accounts")
        _ = model.handle(.notListed(id, "The server is away."))
        #expect(model.level.problem == "The server is away.")
        #expect(model.press(.control("r")) == [.list(id, page: nil, refresh: true)])
        #expect(model.level.problem == nil)
        #expect(model.press(.left).isEmpty && model.names.count == 5)
    }

    @Test func theSelectionIsAlwaysOnTheScreen() throws {
        var model = try PickerFixture.work(size: TerminalSize(columns: 40, rows: 10))
        let entries = try (0..<200).map { try PickerFixture.entry("work:/\(1000 + $0).txt") }
        let id = try PickerFixture.id("work:/")
        _ = model.handle(.listed(id, try PickerFixture.listing("work:/", entries), isFirst: true))
        let keys: [Key] = [
            .down, .pageDown, .pageDown, .end, .up, .pageUp, .home, .end, .character("5"), .control("u"),
        ]
        for key in keys {
            model.press(key)
            let height = PickerLayout(model).listHeight
            #expect((model.level.top..<model.level.top + height).contains(model.level.selection), "\(key)")
        }
        _ = model.handle(.resized(TerminalSize(columns: 40, rows: 6)))
        let height = PickerLayout(model).listHeight
        #expect((model.level.top..<model.level.top + height).contains(model.level.selection))
    }

    @Test("ten thousand random keys never leave the list, whatever is answered")
    func randomKeys() throws {
        var generator = SystemRandomNumberGenerator()
        let keys: [Key] = [
            .up, .down, .pageUp, .pageDown, .home, .end, .left, .right, .enter, .backspace, .delete, .tab, .escape,
            .character("t"), .character("é"), .character("y"), .control("n"), .control("s"), .control("u"),
            .control("r"), .control("f"), .paste("x y"),
        ]
        for mode in PickerMode.allCases {
            var model = try PickerFixture.work(mode: mode)
            for _ in 0..<2_500 {
                guard let key = keys.randomElement(using: &generator) else { continue }
                for action in model.press(key) {
                    switch action {
                    case .list(let id, _, _), .listSoon(let id):
                        let location = String(decoding: id.bytes, as: UTF8.self)
                        let inside = try ["a", "b"].map { try PickerFixture.entry("\(location)/\($0)", .folder) }
                        let page = try PickerFixture.listing(location, inside, writable: !mode.choosesDocuments)
                        _ = model.handle(Bool.random() ? .listed(id, page, isFirst: true) : .notListed(id, "no"))
                    case .search(let search, _):
                        let found = PickerFindings(entries: [try PickerFixture.entry("work:/x/y", .folder)])
                        _ = model.handle(
                            Bool.random() ? .found(search, found, isFirst: true) : .notFound(search, "no"))
                    case .makeFolder(_, let parent):
                        _ = model.handle(.madeFolder(try PickerFixture.entry("work:/New", .folder), in: parent))
                    case .choose, .put: _ = model.handle(Bool.random() ? .refused("no") : .exists("x"))
                    case .cancel: break
                    }
                }
                let level = model.level
                #expect(level.rows.isEmpty ? level.selection == 0 : level.rows.indices.contains(level.selection))
                let screen = PickerRenderer().screen(model)
                #expect(screen.lines.count == 24)
            }
        }
    }

    @Test("PICK-20: ^F looks for what is typed below where one is, and one comes back to what was found")
    func searching() throws {
        var model = try PickerFixture.work()
        #expect(model.press(.control("f")).isEmpty && model.notice?.contains("Type what to look for") == true)
        model.type("two")
        let top = try PickerFixture.id("work:/")
        let actions = model.press(.control("f"))
        guard case .search(let search, nil)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(search.query.text == "two" && search.folder == top && model.level.isLoading && model.names.isEmpty)
        let (folder, letter) = (
            try PickerFixture.entry("work:/Letters/two", .folder), try PickerFixture.entry("work:/Letters/two.txt")
        )
        let token = try PageToken([1])
        #expect(
            model.handle(.found(search, PickerFindings(entries: [letter], next: token, isLoading: true), isFirst: true))
                == [.search(search, page: token)])
        #expect(model.handle(.found(search, PickerFindings(entries: [folder]), isFirst: false)).isEmpty)
        #expect(model.names == ["Letters/two", "Letters/two.txt"])
        #expect(!model.level.isLoading && model.level.isIncomplete)
        #expect(model.press(.right) == [.list(folder.id, page: nil, refresh: false)])
        let inside = try PickerFixture.listing("work:/Letters/two", [])
        _ = model.handle(.listed(folder.id, inside, isFirst: true))
        #expect(model.press(.left).isEmpty && model.selectedName == "Letters/two")
        model.press(.down)
        #expect(model.press(.enter) == [.choose([letter], replacing: false)])
        _ = model.handle(.refused("No."))
        #expect(model.press(.left).isEmpty && model.names.count == 5, "where one searched from, without its filter")
    }

    @Test("PICK-20: folders can be made only where they may be")
    func creating() throws {
        var model = try PickerFixture.work(mode: .export)
        #expect(model.canMakeFolder)
        model.press(.control("n"))
        #expect(model.prompt == .newFolder(TextField()))
        model.press(.escape)
        let (top, folder) = (try PickerFixture.id("work:/"), try PickerFixture.listing("work:/", [], writable: false))
        _ = model.handle(.listed(top, folder, isFirst: true))
        model.press(.control("n"))
        #expect(!model.canMakeFolder && model.prompt == nil && model.notice != nil)
    }
}
