import DocumentClient
import DocumentModel

extension AttackQuestion {
    /// Looks for the target in a picker, at everything that the provider wants to have shown, and chooses it.
    func pick(_ client: DocumentClient) async throws {
        let request = try PickerRequest(.open, types: [.content], domain: domain)
        try await client.withPickerSession(request) { session in
            guard let top = session.roots.first?.id else {
                throw CheckFailure("The picker has no place to look at.")
            }
            var listing = try await session.listing(of: top)
            _ = try await eventually(within: .seconds(5)) {
                guard listing.isLoading else { return true }
                try await Task.sleep(for: .milliseconds(50))
                listing = try await session.listing(of: top)
                return !listing.isLoading
            }
            try expectFit(listing.shape)
            for place in listing.shape.places.map(\.id) + [listing.shape.start].compactMap({ $0 }) {
                // The provider may name what it likes; whoever follows it is told clearly, or sees a folder.
                do throws(DocumentError) { _ = try await session.listing(of: place) } catch {
                    try ErrorClarity.check(error)
                }
            }
            guard let target = listing.entries.first(where: { $0.status.item.name?.rawValue == "target.txt" }) else {
                throw CheckFailure("The picker does not show the provider's document.")
            }
            let picked = try await session.open(target.id)
            guard let path = picked.path, path.string.hasSuffix("/\(domain)/target.txt") else {
                throw CheckFailure("The picker gives another path than the document's.", detail: "\(picked)")
            }
        }
    }

    /// What a picker is to show can be shown.
    private func expectFit(_ shape: PickerShape) throws {
        for text in [shape.message] + shape.places.map(\.title)
        where text.unicodeScalars.contains(where: ErrorClarity.isUnfit) {
            throw CheckFailure(
                "What a picker shows carries characters of the provider that change what a terminal shows.",
                detail: String(reflecting: text))
        }
        guard shape.message.utf8.count <= PickerPresentation.longestMessage,
            shape.places.count <= PickerPresentation.mostSections,
            shape.places.allSatisfy({ $0.title.utf8.count <= PickerSection.longestTitle })
        else { throw CheckFailure("What a picker shows is longer than it may be.") }
        guard Set(shape.columns).count == shape.columns.count else {
            throw CheckFailure("A picker shows the same column twice.", detail: "\(shape.columns.count) columns")
        }
    }
}
