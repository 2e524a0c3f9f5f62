import ArgumentParser
import DocumentClient
import DocumentModel
import SystemPackage

struct ToolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tool",
        abstract: "Say what other programs may use.",
        discussion: """
            A program whose manifest is registered may use the domains and containers that it names, and the items \
            that it has bookmarks of. Programs that are not registered count as your own, and may do what you may, \
            unless the host was started with --registered-tools-only.

            docs/entitlements.md says how a manifest is written, and what this protects from and what not.
            """,
        subcommands: [Register.self, List.self, Show.self, Unregister.self]
    )

    struct Register: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a program by its manifest.",
            discussion: "Example: docent tool register /opt/notes/tool.toml"
        )

        @Argument(help: "The manifest.", completion: .file(extensions: ["toml"]))
        var manifest: String

        func run(_ client: DocumentClient) async throws {
            let tool = try await client.registerTool(manifest: FilePath(try Arguments.absolutePath(manifest)))
            Console.complain(
                "\(tool.name) is registered. From its next start on:\n" + ToolListing.details(tool), terminator: "")
        }
    }

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "List the registered tools.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let tools = try await client.tools()
            try listing.show(.array(tools.map(\.json)), ToolListing.text(tools))
        }
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show what a registered tool may use.")

        @Argument(help: "The tool's identifier.", transform: Arguments.tool)
        var id: ToolIdentifier

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let tool = try await client.tool(id)
            try listing.show(tool.json, ToolListing.details(tool))
        }
    }

    struct Unregister: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a tool, and revoke its bookmarks.",
            discussion: "Example: docent tool unregister org.example.notes"
        )

        @Argument(help: "The tool's identifier.", transform: Arguments.tool)
        var id: ToolIdentifier

        func run(_ client: DocumentClient) async throws {
            try await client.unregisterTool(id)
        }
    }
}
