/// Which file is open under which of the kernel's numbers, and which of them the kernel reads by itself, past this process (FUSE
/// passthrough): a pure state machine.
///
/// Under one number the kernel has pages of one file from us, or goes to one file, and never both: it would show programs one file's
/// contents for another's, or fail an open that is answered otherwise than those before it. What it has closed is counted here a
/// moment later than there, which is harmless.
package struct PassthroughTable<File: Hashable & Sendable>: Sendable {
    /// What a document is opened for.
    package enum Use: Sendable {
        /// Its contents are whole, and are read.
        case reading
        /// It is written, or is read while its contents come: each request is ours to see.
        case watching
    }

    /// How an open is answered.
    package enum Way: Hashable, Sendable {
        /// The kernel has pages from us.
        case pages
        /// The kernel goes to the file, by its name for it.
        case file(Int32)
        /// Others read the file so, by that name: each request of this one comes to us, and the kernel keeps nothing.
        case asked(Int32)
    }

    private struct Entry {
        var file: File
        /// The kernel's for the file; nil: it has pages.
        var name: Int32?
        var opens = 1
    }

    private var entries: [UInt64: Entry] = [:]

    package init() {}

    /// Whether nothing is open.
    package var isEmpty: Bool { entries.isEmpty }

    /// A document is opened: to be followed by ``close(_:)``.
    ///
    /// - Parameters:
    ///   - file: what is in its place now.
    ///   - share: has the kernel know a file by a name; nil when it does not take it.
    /// - Returns: nil when programs have another file open that had its place before: the document needs another number.
    package mutating func open(_ node: UInt64, _ file: File, for use: Use, share: () -> Int32?) -> Way? {
        guard let entry = entries[node] else {
            let name = use == .reading ? share() : nil
            entries[node] = Entry(file: file, name: name)
            return name.map(Way.file) ?? .pages
        }
        guard entry.file == file else { return nil }
        entries[node]?.opens += 1
        guard let name = entry.name else { return .pages }
        return use == .reading ? .file(name) : .asked(name)
    }

    /// What was opened is closed.
    ///
    /// - Returns: the name of a file that the kernel need not know any more.
    package mutating func close(_ node: UInt64) -> Int32? {
        guard let entry = entries[node] else { return nil }
        entries[node]?.opens -= 1
        guard entry.opens <= 1 else { return nil }
        entries[node] = nil
        return entry.name
    }
}
