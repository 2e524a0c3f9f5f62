import ArgumentParser
import DocumentClient
import DocumentModel

struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Start, stop or look at the host, docentd.",
        discussion: "The host is started when it is needed, so these are for when you want to know.",
        subcommands: [Start.self, Stop.self, Status.self]
    )

    struct Start: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Start the host, when it does not run.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let status = try await client.hostStatus()
            try listing.show(status.json, HostListing.text(status))
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop the host and its providers. What was not sent is sent when it runs again.")
        static let start = HostStart.never

        func run(_ client: DocumentClient) async throws {
            try await client.stopHost()
        }

        func run() async throws {
            do {
                let address = try HostAddress.asSet()
                try await withDocumentClient(tool: "docent host stop", address: address, start: .never) {
                    try await run($0)
                }
                Console.complain("The host has stopped.")
            } catch let error as DocumentError where error.code == .hostUnavailable {
                Console.complain("No host runs.")
            }
        }
    }

    struct Status: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show whether the host runs, and how it is.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let status = try await client.hostStatus()
            try listing.show(status.json, HostListing.text(status))
        }

        func run() async throws {
            do {
                let address = try HostAddress.asSet()
                try await withDocumentClient(tool: "docent host status", address: address, start: .never) {
                    try await run($0)
                }
            } catch let error as DocumentError where error.code == .hostUnavailable {
                try listing.show(
                    .object([("running", .boolean(false))]), "No host runs: it is started when it is needed.\n")
            }
        }
    }
}
