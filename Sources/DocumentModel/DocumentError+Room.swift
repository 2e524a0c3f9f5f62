extension DocumentError {
    /// How the sentence of the host's own errors ends when there is no room on this machine's disk.
    package static let diskIsFull = "the disk is full. \(freeSomeSpace)"

    /// The same where there is some, and too little.
    package static let freeSomeSpace = "Free some space, for example by evicting documents, and try again."

    /// Whether there was no room on this machine's disk: it is over as soon as something is removed.
    ///
    /// The code alone does not tell, as a disk may have other troubles, too. Providers, which fill files on this disk,
    /// have the system's words for it.
    package var isOutOfSpace: Bool {
        guard code == .localStorage else { return false }
        return ([message, detail] + causes).contains { text in
            text.hasSuffix(Self.freeSomeSpace) || Self.systemWords.contains { text.contains($0) }
        }
    }

    /// Of ENOSPC and EDQUOT.
    private static let systemWords = ["No space left on device", "Disk quota exceeded"]
}
