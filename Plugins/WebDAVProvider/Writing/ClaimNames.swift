internal import DocumentModel

/// Where everything of one change under a claim lies on the server.
///
/// The claim is on the name that the document has, so that whoever misses it there finds the claim, and in that the document.
/// Another name that it is to get is reserved by a second claim, in which is only a note that leads to the first one.
struct ClaimNames: Sendable {
    let folder: RemotePath
    let key: RemoteName
    /// What becomes the claim.
    let stage: RemotePath
    let claim: RemotePath
    /// The claim on another name that the document is to get; nil when it keeps its own, or has none yet.
    let reservation: RemotePath?

    /// - Parameters:
    ///   - source: where the document is; nil for a new one.
    ///   - target: where it is to be; where it is when it is removed.
    init(_ key: RemoteName, from source: RemotePath?, to target: RemotePath) throws(DocumentError) {
        claim = try Self.claim(on: source ?? target)
        let other = try Self.claim(on: target)
        reservation = other == claim ? nil : other
        folder = claim.parent ?? .root
        self.key = key
        stage = folder.appending(try OwnNames.stage(key))
    }

    /// Where the claim on a document lies.
    static func claim(on path: RemotePath) throws(DocumentError) -> RemotePath {
        guard let folder = path.parent, let name = path.name else {
            throw DocumentError(.invalidArgument, "The domain's top folder cannot be changed.")
        }
        return folder.appending(try OwnNames.claim(on: name))
    }

    /// The change's own folder within the claim.
    var own: RemotePath { claim.appending(key) }
    var new: RemotePath { own.appending(Self.new) }
    var old: RemotePath { own.appending(Self.old) }
    var gone: RemotePath { own.appending(Self.gone) }
    /// What becomes the claim on the other name.
    var place: RemotePath { own.appending(Self.place) }

    /// A place for a claim that has ended, which nothing ever had before.
    ///
    /// - Parameter mark: what no other place has.
    static func rest(in folder: RemotePath, _ mark: UInt64) throws(DocumentError) -> RemotePath {
        folder.appending(try OwnNames.rest(try OwnNames.key(of: "", or: mark)))
    }

    static let new = RemoteName.fixed("new")
    static let old = RemoteName.fixed("old")
    /// What was taken away, once it is decided that it does not come back.
    static let gone = RemoteName.fixed("gone")
    static let place = RemoteName.fixed("place")
    /// The claim on the other name, once that has ended.
    static let spent = RemoteName.fixed("spent")
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
