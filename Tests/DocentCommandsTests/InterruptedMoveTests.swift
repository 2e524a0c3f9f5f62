import DocentCommands
import DocumentModel
import Testing

/// What people hear when the host ends while it moves something.
struct InterruptedMoveTests {
    @Test("CONT-7: that it may have been moved is said, and how to see it in both places before it is tried again")
    func into() throws {
        let error = InterruptedMove.into(try Location("work:/My reports"), from: "it's q3.pdf")
        #expect(error.code == .hostUnavailable)
        #expect(error.message.contains("it's q3.pdf was moved to work:/My reports: that may have been done"))
        #expect(error.message.hasSuffix(#"docent ls 'work:/My reports'; ls -l 'it'\''s q3.pdf'"#))
    }

    @Test("CONT-9: and so of what moves out, of which a copy may be there already")
    func outOf() throws {
        let error = InterruptedMove.out(of: try Location("work:/q3.pdf"), to: "/home/me/q3.pdf")
        #expect(error.message.contains("the copy may be there, and the item be gone from its domain"))
        #expect(error.message.hasSuffix("before you try again: docent ls work:/q3.pdf; ls -l /home/me/q3.pdf"))
    }

    @Test("CONT-7: what was moved for sure is not to be moved again")
    func done() throws {
        let error = InterruptedMove.done(at: try Location("work:/q3.pdf"))
        #expect(error.message.hasPrefix("It was moved to work:/q3.pdf") && !error.message.contains("try again"))
        #expect(error.message.hasSuffix("docent status work:/q3.pdf"))
    }
}
