/// What of a tree is still to be brought: which folders are read, which documents come, and how many at once. Without I/O.
///
/// Documents come before folders are read on, so that little waits, however large the tree is; and what is deep is read
/// first. After a failure nothing more is begun.
struct TreeWalk<Folder: Sendable, Document: Sendable>: Sendable {
    enum Step: Sendable {
        /// Its next items are to be told by ``read(_:folders:rest:)``.
        case read(Folder)
        case bring(Document)
    }

    private let width: Int
    private var folders: [Folder]
    private var underWay = 0
    private(set) var hasFailed = false
    /// Those that were not begun yet.
    private(set) var waiting: [Document] = []

    init(from folder: Folder, width: Int) {
        folders = [folder]
        self.width = width
    }

    /// What to begin now; nil when it is enough, or nothing is left.
    mutating func next() -> Step? {
        guard underWay < width, !hasFailed else { return nil }
        if let document = waiting.popLast() {
            underWay += 1
            return .bring(document)
        }
        guard let folder = folders.popLast() else { return nil }
        underWay += 1
        return .read(folder)
    }

    /// A step has come to its end.
    mutating func ended(_ isFailure: Bool = false) {
        underWay -= 1
        if isFailure { hasFailed = true }
    }

    /// Documents are to be brought that were set aside when it was their turn.
    mutating func again(_ documents: [Document]) { waiting += documents.reversed() }

    /// A folder was read, or the next part of it.
    ///
    /// - Parameter rest: where it goes on; nil at its end.
    mutating func read(_ documents: [Document], folders inside: [Folder], rest: Folder?) {
        ended()
        // The first one is taken first.
        waiting += documents.reversed()
        if let rest { folders.append(rest) }
        folders += inside.reversed()
    }
}
