import DocumentModel
import ProviderConformance
import Testing

@Suite("The list of checks")
struct CheckRegistryTests {
    @Test("§10.1: every check has an id of its own, a title, and a rule that it comes from")
    func wellFormed() {
        #expect(CheckRegistry.problems(in: CheckRegistry.allChecks.map(\.description)) == [])
        #expect(
            !CheckRegistry.allChecks.contains { $0.description.rule.link.isEmpty || $0.description.rule.id.isEmpty })
    }

    @Test("§10.1: duplicate and malformed ids are found")
    func problems() {
        func check(_ id: String, _ title: String = "A rule") -> CheckDescription {
            CheckDescription(id: id, title: title, level: .must, rule: .rule("ID-1"))
        }
        #expect(CheckRegistry.problems(in: [check("PC-A-001"), check("PC-A-002")]).isEmpty)
        #expect(CheckRegistry.problems(in: [check("PC-A-001"), check("PC-A-001")]).count == 1)
        for id in ["PC-001", "PC-A-1", "pc-a-001", "PC-A-01x", "PC--001", ""] {
            #expect(CheckRegistry.problems(in: [check(id)]).count == 1, "\(id)")
        }
        #expect(CheckRegistry.problems(in: [check("PC-A-001", "A rule.")]).count == 1)
    }

    @Test(
        "A * in a pattern stands for any text",
        arguments: [
            ("PC-LIST-001", "PC-LIST-001", true), ("PC-LIST-001", "PC-LIST-*", true), ("PC-LIST-001", "*", true),
            ("PC-LIST-001", "*-001", true), ("PC-LIST-001", "PC*LIST*1", true), ("PC-LIST-001", "PC-LIST", false),
            ("PC-LIST-001", "PC-ITEM-*", false), ("PC-LIST-001", "*LIST", false), ("aa", "a*aa", false),
        ])
    func patterns(text: String, pattern: String, matches: Bool) {
        #expect(CheckSelection.matches(text, pattern) == matches)
    }
}
