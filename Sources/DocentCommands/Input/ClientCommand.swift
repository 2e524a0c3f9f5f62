import ArgumentParser
import DocumentClient
import DocumentModel

/// A command that asks the host.
protocol ClientCommand: AsyncParsableCommand {
    /// Whether a host is started when none runs.
    static var start: HostStart { get }

    func run(_ client: DocumentClient) async throws
}

extension ClientCommand {
    static var start: HostStart { .ifNeeded() }

    func run() async throws {
        let name = Self._commandName
        let address = try HostAddress.asSet()
        try await withDocumentClient(tool: "docent \(name)", address: address, start: Self.start) { try await run($0) }
    }
}

struct ListingOptions: ParsableArguments {
    @Flag(help: "Print one JSON document instead of text for people.")
    var json = false

    /// Prints a listing in the form that was asked for.
    func show(_ json: @autoclosure () -> JSON, _ text: @autoclosure () -> String) throws {
        if self.json {
            try Console.print(json().text())
        } else {
            try Console.print(text(), terminator: "")
        }
    }
}
