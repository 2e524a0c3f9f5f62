// Measures Docent against the floors of the machine that it runs on. Run it through `scripts/bench`.

import DocumentTransport
import Glibc

ignoreBrokenPipeSignal()
var arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--peer" {
    try await PeerProcess.serve(arguments.dropFirst().first ?? "")
} else {
    var rounds = 15
    if let index = arguments.firstIndex(of: "--rounds"), index + 1 < arguments.count {
        rounds = Int(arguments[index + 1]) ?? rounds
        arguments.removeSubrange(index...index + 1)
    }
    let isCheck = arguments.contains("--check")
    arguments.removeAll { $0 == "--check" }
    var table = Table()
    for row in allRows where arguments.isEmpty || arguments.contains(where: row.name.contains) {
        table.add(row, try await row.measure(rounds: max(rounds, 1)))
    }
    print("\(rounds) rounds\n\n" + table.text)
    if isCheck, !table.missed.isEmpty {
        print("\nShort of its aim: " + table.missed.joined(separator: "; "))
        exit(1)
    }
}
