import DocumentHost
import DocumentModel
import SystemPackage

extension DomainCallers {
    /// A session, and the first page of where it begins.
    func begin(
        _ request: PickerRequest, _ tool: DocumentHost.Tool
    ) async throws -> (session: UInt64, root: PickerRoot, listing: PickerListing) {
        let (session, roots) = try await host.beginPicker(request, for: tool)
        guard let root = roots.first else { throw Complaint(text: "A picker begins nowhere.") }
        let listing = try await host.browse(
            root.id, in: session, page: nil, suggestedCount: 100, refreshing: true, for: tool)
        try checkWords(listing.shape)
        return (session, root, listing)
    }

    /// Chooses the first document that can be chosen, to be opened.
    func pick(_ tool: DocumentHost.Tool) async throws {
        let (session, _, listing) = try await begin(try PickerRequest(.open, types: [.content], domain: domain), tool)
        guard let entry = listing.entries.first(where: \.isSelectable) else {
            return try host.cancelPicker(session, for: tool)
        }
        for picked in try await host.choose(.entries([entry.id]), in: session, for: tool) { try checkPlace(picked) }
    }

    /// Puts a document of its own into the folder where it begins.
    func pickPlace(_ number: Int, _ tool: DocumentHost.Tool) async throws {
        let edit = ledger.newEdit()
        let request = try PickerRequest(.export, originalPath: try newFile(edit).string, domain: domain)
        let (session, root, _) = try await begin(request, tool)
        let target = PickerSelection.target(
            folder: root.id, name: try ItemName("picked\(number).txt"), replacing: false)
        let picked = try await host.choose(target, in: session, for: tool)
        ledger.edited(edit)
        for item in picked { try checkPlace(item) }
        await waitALittle(for: Location(domain: domain))
    }

    /// What a picker gives lies strictly below its domain (PICK-15).
    private func checkPlace(_ picked: PickedItem) throws {
        let inside = host.rootPath.appending("documents").appending(domain.rawValue).string + "/"
        let path = picked.status.path
        guard path.isEmpty || (path.hasPrefix(inside) && path != inside && !path.contains("/../")),
            picked.status.location.domain == domain
        else { throw Complaint(text: "A picker gives “\(picked.status.location)”, at “\(path)”.") }
    }

    /// What a provider has people told is bounded, and changes no terminal.
    private func checkWords(_ shape: PickerShape) throws {
        for word in [shape.message] + shape.places.map(\.title) {
            guard !word.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
                throw Complaint(text: "A picker shows control characters: \(word.debugDescription)")
            }
        }
    }
}
