public import DocumentModel
internal import DocumentWire

extension DocumentClient {
    /// Small pictures of documents, to be shown beside their names; each is answered on its own.
    ///
    /// What the host keeps comes at once, also without the provider. The others come when the provider has given them: do not
    /// wait for them before names are shown. Ask for those that are to be seen, and cancel the task when they are not any more.
    ///
    /// - Parameters:
    ///   - size: what the longer side should have, in pixels: one of ``Thumbnail/sizes``. What comes may have
    ///     more or less; scale it as you need it.
    /// - Returns: one outcome for each location, in their order. An image is what a provider gave, and shows the contents that
    ///   the item has now.
    /// - Throws: ``DocumentError``: `invalidArgument` for another size.
    public func thumbnails(
        of locations: [Location], size: Int = 256
    ) async throws(DocumentError) -> [ThumbnailOutcome] {
        try await thumbnails(of: locations) { .items($0, size: size) }
    }

    /// - Parameter call: how some of them are asked for.
    func thumbnails<Name>(
        of names: [Name], _ call: ([Name]) -> ThumbnailCall
    ) async throws(DocumentError) -> [ThumbnailOutcome] {
        var outcomes: [ThumbnailOutcome] = []
        var rest = names[...]
        while !rest.isEmpty {
            let wanted = Array(rest.prefix(Thumbnail.mostAtOnce))
            // As many as have room in one answer.
            guard case .thumbnails(let answered) = try await ask(.thumbnails(call(wanted))), !answered.isEmpty,
                answered.count <= wanted.count
            else { throw Self.unexpectedAnswer }
            outcomes += answered
            rest = rest.dropFirst(answered.count)
        }
        return outcomes
    }
}

extension PickerSession {
    /// Small pictures of entries, to be shown beside their names; see ``DocumentClient/thumbnails(of:size:)``. An entry has
    /// the action ``PickerActions/thumbnail`` when it is worth asking.
    ///
    /// - Parameter size: what the longer side should have, in pixels: one of ``Thumbnail/sizes``.
    /// - Returns: one outcome for each entry, in their order.
    public func thumbnails(
        of entries: [PickerEntryID], size: Int = 256
    ) async throws(DocumentError) -> [ThumbnailOutcome] {
        try await client.thumbnails(of: entries) { .entries(number, $0, size: size) }
    }
}
