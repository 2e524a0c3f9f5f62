public import SystemPackage

/// A presenter of a document or folder that is local, or may become so: it may be moved into a domain, and out of it
/// (CONT-7, CONT-9). While it is local, its ``FilePresenter/presentedItemLocation`` is nil.
///
/// Of what is local it is told that it moves into a domain, whoever moves it, and of nothing else: it lets go and saves before,
/// as for a writer, and hears of the new location with ``FilePresenter/presentedItemDidMove(to:)``. For other tools' moves the file
/// must be there when it is added.
public protocol LocalFilePresenter: FilePresenter {
    /// The absolute path of what it presents; nil when that is an item of a domain. May be read on any thread.
    var presentedLocalPath: FilePath? { get }
    /// The item was moved out of its domain, to there.
    func presentedItemDidMove(toLocalPath path: FilePath) async
}

extension LocalFilePresenter {
    public func presentedItemDidMove(toLocalPath path: FilePath) async {}
}
