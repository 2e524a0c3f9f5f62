package import DocumentModel

/// What is said when the host ends while it moves something: whether that was done, nobody knows who does not look.
package enum InterruptedMove {
    /// - Parameter destination: the new item, or the folder that it goes to.
    package static func into(_ destination: Location, from source: String) -> DocumentError {
        error(
            "The host ended while \(source) was moved to \(destination): that may have been done all the same, and the next host finishes what was begun. See where it is before you try again: docent ls \(quoted(destination)); ls -l \(ShellWord.quoted(source))"
        )
    }

    package static func out(of source: Location, to destination: String) -> DocumentError {
        error(
            "The host ended while \(source) was moved to \(destination): the copy may be there, and the item be gone from its domain; the next host finishes what was begun. See where it is before you try again: docent ls \(quoted(source)); ls -l \(ShellWord.quoted(destination))"
        )
    }

    /// It ended when that had been done.
    package static func done(at location: Location) -> DocumentError {
        error(
            "It was moved to \(location), and the host ended before it was sent. The next host sends it: docent status \(quoted(location))"
        )
    }

    private static func error(_ sentence: String) -> DocumentError { DocumentError(.hostUnavailable, sentence) }

    private static func quoted(_ location: Location) -> String { ShellWord.quoted(location.description) }
}
