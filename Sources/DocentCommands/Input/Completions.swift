import ArgumentParser
import DocumentClient
import DocumentModel

/// What a shell may complete a word to.
enum Completions {
    static let locations = CompletionKind.custom { _, _, prefix in
        await asking { try await locations(beginningWith: prefix, $0) }
    }

    static let domains = CompletionKind.custom { _, _, prefix in
        await asking { try await $0.domains().map(\.name.rawValue).filter { $0.hasPrefix(prefix) } }
    }

    static let providers = CompletionKind.custom { _, _, prefix in
        await asking { try await $0.providers().providers.map(\.id.rawValue).filter { $0.hasPrefix(prefix) } }
    }

    /// A word that cannot be completed is no error.
    private static func asking(_ body: (DocumentClient) async throws -> [String]) async -> [String] {
        (try? await withDocumentClient(tool: "docent completion", body)) ?? []
    }

    private static func locations(beginningWith prefix: String, _ client: DocumentClient) async throws -> [String] {
        guard let slash = prefix.lastIndex(of: "/") else {
            return try await client.domains().map { "\($0.name):/" }.filter { $0.hasPrefix(prefix) }
        }
        let folder = prefix[...slash]
        let beginning = prefix[prefix.index(after: slash)...]
        // One page: nobody reads more.
        let page = try await client.itemPage(in: Location(String(folder)))
        return page.items.compactMap { status in
            guard let name = status.item.name?.rawValue, name.hasPrefix(beginning) else { return nil }
            return folder + name + (status.item.kind == .folder ? "/" : "")
        }
    }
}
