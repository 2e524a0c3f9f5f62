internal import DocumentModel

/// Where everything of one change under a claim lies on the server.
struct ClaimNames: Sendable {
    let folder: RemotePath
    let key: RemoteName
    /// What becomes the claim.
    let stage: RemotePath
    let claim: RemotePath

    /// - Parameter target: what the document is to be called, or is called when it is removed.
    init(_ key: RemoteName, _ target: RemotePath) throws(DocumentError) {
        guard let folder = target.parent, let name = target.name else {
            throw DocumentError(.invalidArgument, "The domain's top folder cannot be changed.")
        }
        self.folder = folder
        self.key = key
        stage = folder.appending(try OwnNames.stage(key))
        claim = folder.appending(try OwnNames.claim(on: name))
    }

    /// The change's own folder within the claim.
    var own: RemotePath { claim.appending(key) }
    var new: RemotePath { own.appending(Self.new) }
    var old: RemotePath { own.appending(Self.old) }

    /// A place for a claim that has ended, which nothing ever had before.
    ///
    /// - Parameter mark: what no other place has.
    static func rest(in folder: RemotePath, _ mark: UInt64) throws(DocumentError) -> RemotePath {
        folder.appending(try OwnNames.rest(try OwnNames.key(of: "", or: mark)))
    }

    static let new = RemoteName.fixed("new")
    static let old = RemoteName.fixed("old")
    /// What the change is, so that somebody else can end it.
    static let note = RemoteName.fixed("change")
}

extension RemoteName {
    /// A name that is known to be one.
    fileprivate static func fixed(_ name: String) -> RemoteName {
        do {
            return try RemoteName(name)
        } catch {
            preconditionFailure("“\(name)” is no name of an item.")
        }
    }
}
