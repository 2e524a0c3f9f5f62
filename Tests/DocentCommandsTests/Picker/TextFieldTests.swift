import DocentCommands
import Testing

@Suite struct TextFieldTests {
    private func typed(_ keys: [Key], in field: TextField = TextField()) -> TextField {
        var field = field
        for key in keys { _ = field.handle(key) }
        return field
    }

    @Test func textIsEditedWhereTheCursorIs() {
        let field = typed(
            [.home, .character("x"), .right, .delete, .end, .backspace, .character("!")], in: TextField("abcd"))
        #expect(field.text == "xac!" && field.cursor == 4)
        #expect(typed([.control("w")], in: TextField("two words ")).text == "two ")
        #expect(typed([.left, .control("u")], in: TextField("abc")).text == "c")
    }

    @Test func aCombiningMarkJoinsTheLetterBeforeIt() {
        let field = typed([.character("e"), .character("\u{301}"), .backspace])
        #expect(field.text.isEmpty && field.cursor == 0)
    }

    @Test func controlsAreNotTyped() {
        #expect(typed([.paste("a\u{1B}[31m\nb")]).text == "a[31mb")
    }

    @Test func atTheEdgesNothingHappens() {
        var field = TextField()
        #expect(!field.handle(.backspace) && !field.handle(.delete) && !field.handle(.up))
        #expect(typed([.left, .left, .right, .right, .right], in: TextField("a")).cursor == 1)
    }
}
