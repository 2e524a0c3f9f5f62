public import DocumentModel
import DocumentStorage
package import DocumentWire
public import SystemPackage

/// Items that come into a domain from this machine, and leave it for this machine (CONT-7 to CONT-9).
extension DocumentHost {
    /// Makes a local document, or a folder with all that is in it, an item of a domain: at once, also when the provider
    /// cannot be reached. Sending follows (CONT-7).
    ///
    /// - Throws: ``DocumentError``: `destinationExists`, `nameClash`, `notPermitted` where nothing can be put,
    ///   `invalidArgument` for what cannot be an item. Then the source is as it was (CONT-8).
    public func moveIn(_ source: FilePath, to destination: Location) async throws(DocumentError) -> ItemStatus {
        try status(
            of: try await arrivals.moveIn(source, to: destination, on: try domains.domain(destination.domain)))
    }

    /// Removes an item from its domain, of which a tool has a copy (CONT-9).
    package func moveOut(_ call: MoveOutCall, for tool: Tool) async throws(DocumentError) {
        try await departures.moveOut(call, on: try domains.domain(call.location.domain), by: tool.owner)
    }

    /// Makes a folder that a program has made or moved on disk, without asking, one of its domain's: under the name and in the
    /// place that it has there.
    func takeIn(_ folder: UnknownFolder) async throws(DocumentError) {
        guard let name = folder.location.name else { return }
        let (parent, former) = try storage.read { index in
            (
                // A new one may have been sent meanwhile, and have another identifier.
                try index.item(folder.parent, in: folder.location.domain).flatMap {
                    try index.location(of: $0.id, in: $0.domain)
                },
                try folder.former.flatMap { try index.location(of: $0, in: folder.location.domain) }
            )
        }
        guard let place = parent?.appending(name) else {
            throw DocumentError(.noSuchItem, "The folder around \(folder.location) was removed meanwhile.")
        }
        if let former {
            try await storage.run { try $0.clearFormerPlace(of: folder) }
            // It is there already: here at once, whether or not the provider can be asked.
            _ = try await rename(former, to: place, atOnce: true, within: nil)
        } else {
            _ = try await makeFolder(at: place, atOnce: true, within: nil)
        }
    }
}
