import ArgumentParser
import DocumentModel
import Foundation
import ProviderConformance

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the checks: id, level, what they need, and the rule.")

    @Flag(help: "As JSON.")
    var json = false

    @Flag(help: "The attacks on hosts, instead of the checks of providers.")
    var host = false

    func run() throws {
        let checks = host ? AttackRunner.descriptions : CheckRegistry.allChecks.map(\.description)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            ToolOutput.print(String(decoding: try encoder.encode(checks), as: UTF8.self) + "\n")
            return
        }
        for check in checks {
            let needs = check.needs.map(\.rawValue) + (check.mutates ? ["--mutating"] : [])
            let suffix = needs.isEmpty ? "" : " (needs \(needs.joined(separator: ", ")))"
            ToolOutput.print("\(check.id)  \(check.level.rawValue)  \(check.title)\(suffix)  [\(check.rule.id)]\n")
        }
        ToolOutput.print("\(checks.count) checks\n")
    }
}
