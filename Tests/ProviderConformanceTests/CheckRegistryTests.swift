import DocumentModel
import DocumentTestSupport
import Foundation
import ProviderConformance
import SystemPackage
import Testing

@Suite("The list of checks")
struct CheckRegistryTests {
    @Test("§10.1: every check has an id of its own, a title, and a rule that it comes from")
    func wellFormed() {
        #expect(CheckRegistry.problems(in: CheckRegistry.allChecks.map(\.description)) == [])
        #expect(
            !CheckRegistry.allChecks.contains { $0.description.rule.link.isEmpty || $0.description.rule.id.isEmpty })
    }

    @Test("§10.1: each rule of our own list that a check or an attack names is told where its link leads")
    func rulesAreTold() throws {
        let page = try String(
            contentsOfFile: BuiltProducts.packageFolder().appending("docs/conformance.md").string, encoding: .utf8)
        let told = Set(
            page.split(separator: "\n").compactMap { line in
                line.hasPrefix("| ") ? line.dropFirst(2).prefix { $0 != " " } : nil
            }.map(String.init))
        let checks = CheckRegistry.allChecks.map(\.description) + AttackRunner.descriptions
        let own = Set(checks.map(\.rule).filter { $0.link == "docs/conformance.md#rules" }.map(\.id))
        #expect(own.count > 30)
        #expect(own.subtracting(told).sorted() == [])
    }

    @Test("§10.1: a rule has one spelling: no two differ by case only, in the checks and on the page")
    func spelling() throws {
        let page = try String(
            contentsOfFile: BuiltProducts.packageFolder().appending("docs/conformance.md").string, encoding: .utf8)
        let told = page.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| ([A-Za-z]+-[0-9]+) \|/).map { String($0.1) }
        }
        #expect(told.count > 30)
        let checks = CheckRegistry.allChecks.map(\.description) + AttackRunner.descriptions
        let all = Set(told + checks.map(\.rule.id))
        let pairs = Dictionary(grouping: all) { $0.lowercased() }.values.filter { $0.count > 1 }
        #expect(pairs.isEmpty, "\(pairs)")
        #expect(Set(told).count == told.count)
    }

    @Test("§10.1: each code that a provider may give is named by a check, or demanded of a host that meets it")
    func codesAreDemanded() throws {
        let codes = (101..<500).map(DocumentError.Code.init(rawValue:)).filter { !"\($0)".hasPrefix("code") }
        #expect(codes.count >= 27)
        // What the host says to its tools of its own.
        let hosts: [DocumentError.Code] = [
            .destinationExists, .unsyncedEdits, .deadlock, .inConflict, .outsideStorageRoot, .typeNotAccepted,
            .nameClash, .localVersionConflicting,
        ]
        let titles = (CheckRegistry.allChecks.map(\.description) + AttackRunner.descriptions).map(\.title)
        let words = Set(titles.flatMap { $0.split { !$0.isLetter } }.map(String.init))
        let demanded = Set(
            HostAttack.all.flatMap { attack -> [DocumentError.Code] in
                guard case .failure(let codes) = attack.expectation, codes.count == 1 else { return [] }
                return codes
            })
        let missing = codes.filter { !hosts.contains($0) && !words.contains("\($0)") && !demanded.contains($0) }
        #expect(missing == [])
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
