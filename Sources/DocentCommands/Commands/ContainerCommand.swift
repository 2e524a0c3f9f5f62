import ArgumentParser
import DocumentClient
import DocumentModel

struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container",
        abstract: "Look after what tools keep in containers.",
        discussion: """
            A container is a folder of a tool's, or of several: its documents lie in “Documents”, and everything else in \
            it is the tool's own affair. All containers lie in one folder, which you choose.
            """,
        subcommands: [Place.self, List.self, Documents.self, RemoveData.self]
    )

    struct Place: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say in which folder containers are, or print it.",
            discussion: "Example: docent container place work:/Containers"
        )

        @Argument(
            help: "The folder, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
        var folder: Location?

        @Flag(help: "There are to be no containers. What is in them stays where it is.")
        var none = false

        func validate() throws {
            if none, folder != nil { throw ValidationError("Give a folder or --none, not both.") }
        }

        func run(_ client: DocumentClient) async throws {
            if none || folder != nil { return try await client.placeContainers(in: folder) }
            if let place = try await client.containerPlace() {
                try Console.print(place.description)
            } else {
                Console.complain(
                    "There are no containers: “docent container place LOCATION” says where they are to be.")
            }
        }
    }

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "List the containers.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let containers = try await client.containers()
            try listing.show(.array(containers.map(\.json)), ContainerListing.text(containers))
        }
    }

    struct Documents: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the documents of all containers.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            var items: [ItemStatus] = []
            for try await item in client.containerDocuments() { items.append(item) }
            try listing.show(.array(items.map(\.json)), items.map { "\($0.location)\n" }.joined())
        }
    }

    struct RemoveData: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-data",
            abstract: "Remove all of a container but its documents, here and on the remote.")

        @Argument(help: "The container's identifier.", transform: Arguments.container)
        var container: ContainerIdentifier

        func run(_ client: DocumentClient) async throws {
            try await client.removeData(ofContainer: container)
        }
    }
}
