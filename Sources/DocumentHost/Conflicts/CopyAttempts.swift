import DocumentModel

/// Which copy of contents in conflict is asked for next (VER-5). Pure.
struct CopyAttempts: Hashable, Sendable {
    /// Why a copy is not the one that is kept.
    enum Failure: Hashable, Sendable {
        /// Something else has its name, which nobody chose.
        case nameTaken
        /// It was made, and its provider says that it is not there: somebody has removed it since it was asked for before, and the
        /// answer was lost.
        case gone
    }

    /// So many of them can be there already, or be somebody else's.
    static let most = 20
    /// Nobody removes copies as quickly as they are made. A provider that says so of each of them would make one with each attempt.
    static let mostGone = 5

    /// Counts from 1: each is a copy of its own, and when it is asked for again, the same one.
    private(set) var number = 1
    private var gone = 0

    /// Goes on to the next one.
    ///
    /// - Throws: `nameCollision`, `cannotSynchronize` when there is none.
    mutating func next(after failure: Failure, of location: Location) throws(DocumentError) {
        if failure == .gone { gone += 1 }
        guard gone < Self.mostGone else {
            throw DocumentError(
                .cannotSynchronize,
                "A copy of \(location) was made \(gone) times, and its provider says each time that it is not there: both contents stay where they are. Look for copies on the remote, or name another one."
            )
        }
        guard number < Self.most else {
            throw DocumentError(
                .nameCollision,
                "No free name was found for the copy of \(location); remove some of its conflict copies.")
        }
        number += 1
    }
}
