internal import AsyncHTTPClient
internal import DocumentModel
internal import NIOCore

extension ServerLink {
    /// What a resource is, and the server's clock when it said so.
    struct Look: Hashable, Sendable {
        var properties: Properties
        /// In seconds since 1970; nil when the server has none.
        var date: Int64?
    }

    /// A folder and what is in it.
    struct Listing: Sendable {
        var isFolder = false
        /// In the order of their names.
        var entries: [Listings.Entry] = []
        /// Why some of what is there is no entry, one sentence each.
        var leftOut: [String] = []
        /// What documents are being changed under, and what the ends of changes have left.
        var claims: [RemoteName] = []
        /// What was staged, or left by the end of a claim, so long ago that nobody works on it any more.
        var leftovers: [RemoteName] = []
    }

    /// - Throws: `ServerFailure`; the status 404 says that nothing is there.
    func look(at path: RemotePath, retrying limits: RetryPlan.Limits? = nil) async throws -> Look {
        let request = ServerRequest.properties(of: path, depth: 0, asFolder: path.isRoot)
        return try await ask(request, accepting: [207], retrying: limits ?? timing.retrying) { answer in
            var found: [Resource] = []
            try await read(answer, limits: Multistatus.Limits(resources: 64)) { found.append($0) }
            // One was asked about, so one it is, however it is spelt.
            guard let resource = found.count == 1 ? found.first : found.first(where: { isItself($0, path) }) else {
                throw ServerFailure.unusable("it says nothing about what it was asked about")
            }
            if let status = resource.status, !(200..<300).contains(status) {
                throw ServerFailure.status(status, retryAfter: nil)
            }
            return Look(properties: resource.properties, date: answer.date)
        }
    }

    /// - Throws: `ServerFailure`; the status 404 says that nothing is there.
    ///
    /// - Parameter hidingOwn: whether what Docent itself makes for a while is left out.
    func list(_ path: RemotePath, hidingOwn: Bool = true) async throws -> Listing {
        var request = ServerRequest.properties(of: path, depth: 1, asFolder: true)
        request.timeout = timing.listing
        return try await ask(request, accepting: [207], retrying: timing.retrying) { answer in
            var listing = Listing()
            var names: Set<RemoteName> = []
            var isItselfThere = false
            var stranger: String?
            try await read(answer) { resource in
                switch Href(resource.href, in: path, of: address) {
                case .itself:
                    isItselfThere = true
                    listing.isFolder = resource.properties.isFolder
                case .child(let name) where hidingOwn && OwnNames.isOwn(name):
                    if OwnNames.isClaim(name) || OwnNames.isRest(name) { listing.claims.append(name) }
                    let look = Look(properties: resource.properties, date: answer.date)
                    if OwnNames.isStage(name) || OwnNames.isRest(name), look.isSettled(after: timing.forgotten) ?? false
                    {
                        listing.leftovers.append(name)
                    }
                case .child(let name):
                    if let status = resource.status, !(200..<300).contains(status) {
                        listing.leftOut.append("The server gives status \(status) for it.")
                    } else if names.insert(name).inserted {
                        listing.entries.append(Listings.Entry(name: name, properties: resource.properties))
                    } else {
                        listing.leftOut.append("Its name is listed twice.")
                    }
                case .unusable(let reason): listing.leftOut.append(reason)
                case .foreign:
                    stranger = resource.href
                    listing.leftOut.append("Its address is not in the folder that was asked about.")
                }
            }
            guard isItselfThere else {
                let instead = stranger.map { ", but “\(ItemName.printable($0, limit: 200))” instead" } ?? ""
                throw ServerFailure.unusable(
                    "it does not list “\(address.target(of: path, asFolder: true))”\(instead)")
            }
            listing.entries.sort { $0.name < $1.name }
            return listing
        }
    }

    /// How many bytes may be put into a folder, and how many are there; nil what the server does not say, or does not limit.
    /// Asked once, and not for long: some servers count all that they have for it.
    func quota(of path: RemotePath) async throws -> Quota {
        var request = ServerRequest.quota(of: path)
        request.timeout = timing.aside
        return try await ask(request, accepting: [207], retrying: RetryPlan.Limits(attempts: 1)) { answer in
            var found = Properties()
            try await read(answer, limits: Multistatus.Limits(resources: 64)) { found.merge($0.properties) }
            return found.quota
        }
    }

    private func isItself(_ resource: Resource, _ path: RemotePath) -> Bool {
        Href(resource.href, in: path, of: address) == .itself
    }

    /// Reads a 207 answer as it comes.
    ///
    /// - Returns: what it says beside its resources.
    @discardableResult
    func read(
        _ answer: ServerAnswer, limits: Multistatus.Limits = .init(), _ take: (Resource) -> Void
    ) async throws -> Multistatus {
        let stream = try XMLStream(Multistatus(limits: limits))
        for try await part in answer.body {
            try part.withUnsafeReadableBytes { bytes in try stream.feed(bytes) }
            for resource in stream.withReceiver({ $0.take() }) { take(resource) }
        }
        var rest = try stream.finish()
        for resource in rest.take() { take(resource) }
        return rest
    }
}
