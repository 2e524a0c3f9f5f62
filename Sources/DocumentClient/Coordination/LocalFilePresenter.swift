public import SystemPackage

/// A presenter of a document or folder that is local, or may become so: it may be moved into a domain, and out of it
/// (CONT-7, CONT-9). While it is local, its ``FilePresenter/presentedItemLocation`` is nil.
///
/// Of what is local only this tool's own moves are told: ``DocumentClient/moveIn(_:to:)``.
public protocol LocalFilePresenter: FilePresenter {
    /// The absolute path of what it presents; nil when that is an item of a domain. May be read on any thread.
    var presentedLocalPath: FilePath? { get }
    /// The item was moved out of its domain, by this tool.
    func presentedItemDidMove(toLocalPath path: FilePath) async
}

extension LocalFilePresenter {
    public func presentedItemDidMove(toLocalPath path: FilePath) async {}
}
