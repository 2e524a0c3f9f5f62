import DocentCommands
import DocumentModel
import Testing

/// Several items in one session.
@Suite struct PickerMarkingTests {
    @Test("PICK-21: Tab marks, and what is marked is chosen together, in the order in which it was")
    func marking() throws {
        var model = try PickerFixture.work(several: true)
        let (one, two) = (try PickerFixture.entry("work:/one.txt"), try PickerFixture.entry("work:/two.txt"))
        model.press(.end, .tab)
        #expect(model.marked == [two] && model.selectedName == "two.txt")
        model.type("one")
        model.press(.tab, .control("u"))
        #expect(model.marked == [two, one])
        let shown = PickerRenderer().screen(model).text.split(separator: "\n")
        #expect(shown.contains { $0.contains("2 marked") } && shown.contains { $0.contains("choose 2") })
        #expect(shown.count { $0.contains("✓") } == 2)
        #expect(model.press(.control("s")) == [.choose([two, one], replacing: false)])
    }

    @Test("PICK-21: a second Tab takes the mark away; without a mark one chooses what one is at")
    func unmarking() throws {
        var model = try PickerFixture.work(several: true)
        let two = try PickerFixture.entry("work:/two.txt")
        model.press(.end, .tab, .tab)
        #expect(model.marked.isEmpty)
        #expect(model.press(.control("s")).isEmpty, "there is nothing to choose")
        #expect(model.press(.enter) == [.choose([two], replacing: false)])
    }

    @Test("PICK-14, PICK-21: what cannot be chosen is not marked, and it is said why")
    func unselectable() throws {
        var model = try PickerFixture.work(several: true)
        model.press(.tab)
        #expect(model.marked.isEmpty && model.notice?.contains("is a folder") == true)
        model.type("photo")
        model.press(.tab)
        #expect(model.marked.isEmpty && model.notice?.contains("public.png") == true)
    }

    @Test("a session for one item has no marks")
    func one() throws {
        var model = try PickerFixture.work()
        model.press(.end, .tab)
        #expect(model.marked.isEmpty && !PickerRenderer().screen(model).text.contains("mark"))
    }
}
