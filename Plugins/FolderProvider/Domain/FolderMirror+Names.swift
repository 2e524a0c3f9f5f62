internal import DocumentModel
internal import Glibc
internal import Logging

// What has a public name may be another program's by the time of the next call, also another machine's, which no lock of
// ours keeps away. So what is there is taken away in one step, looked at under a name that nobody else knows, and comes back
// without taking anybody's place.

extension FolderMirror {
    /// Gives a file or folder another name, when that is free.
    ///
    /// - Parameters:
    ///   - key: what is to be renamed. Anything else gets its name back.
    ///   - temporary: the name that it has in between, where the file system cannot do both in one step.
    /// - Throws: `nameCollision`, `versionNoLongerAvailable`.
    func move(
        _ key: FileKey, from: Place, in folder: borrowing OpenFile, to: Place, in toFolder: borrowing OpenFile,
        through temporary: String
    ) throws(DocumentError) {
        var result = names.move(from.name.rawValue, in: folder, to: to.name.rawValue, in: toFolder)
        if FolderNames.isUnknown(result) {
            result = names.take(from.name.rawValue, in: folder, as: temporary)
            if result == 0 {
                guard case .item(let facts) = sighting.look(at: temporary, in: folder), facts.key == key else {
                    putBack(temporary, as: from.name, in: folder)
                    throw DocumentError(
                        .versionNoLongerAvailable,
                        "“\(from.name)” was replaced in this moment: list its folder again, and try again.")
                }
                result = names.place(temporary, in: folder, as: to.name.rawValue, in: toFolder)
                if result != 0 { putBack(temporary, as: from.name, in: folder) }
            }
        }
        if result == -EEXIST { throw FolderDomain.collision(to.name) }
        try SystemFailure.check(result, .remote, "“\(from.name)” cannot be renamed")
    }

    /// Exchanges the names of a change's temporary file and of its item. What cannot be exchanged has its name back, or one
    /// that it is kept under.
    ///
    /// - Returns: 0, or the negative error number.
    mutating func exchange(_ change: PlannedChange, in folder: borrowing OpenFile) -> Int32 {
        guard let temporary = change.temporary else { return -EINVAL }
        let result = names.exchange(temporary, change.from.name.rawValue, in: folder)
        if result != 0 { endExchange(change, in: folder) }
        return result
    }

    /// Brings an exchange in three steps that was left between them to its end, or back to its beginning.
    mutating func endExchange(_ change: PlannedChange, in folder: borrowing OpenFile) {
        guard let temporary = change.temporary else { return }
        let third = FolderNames.third(of: temporary)
        let name = change.from.name.rawValue
        guard !sighting.isFree(third, in: folder) else { return }
        // One that has two names has been given the second, and was to lose the first.
        if sighting.isOneFile(third, in: folder, temporary, in: folder)
            || sighting.isOneFile(third, in: folder, name, in: folder)
        {
            _ = names.unlink(third, in: folder)
            return
        }
        if sighting.isOneFile(temporary, in: folder, name, in: folder) {
            guard names.unlink(temporary, in: folder) == 0 else { return }
        }
        if sighting.isFree(temporary, in: folder), sighting.isAny(at: name, in: folder) {
            // The other one has its place already.
            _ = names.take(third, in: folder, as: temporary)
            return
        }
        guard names.place(third, in: folder, as: name, in: folder) == -EEXIST else { return }
        // Others have taken the name meanwhile, and gone on from what they and the host know.
        discard(third, of: change, in: folder)
    }

    /// Gives the file that was replaced its name back, and removes the new one.
    ///
    /// What comes out of the exchange should be the new file. If it is not, another program has given the name to a
    /// third one meanwhile: that one stays, and what was replaced is kept under another name.
    mutating func undoExchange(_ change: PlannedChange, in folder: borrowing OpenFile) {
        guard let temporary = change.temporary else { return }
        if exchange(change, in: folder) == 0 {
            if case .item(let facts) = sighting.look(at: temporary, in: folder), facts.key == change.put {
                discard(temporary, of: change, in: folder)
                return
            }
            _ = exchange(change, in: folder)
        }
        // Also when the name is free, because the new file was removed under it.
        putBack(temporary, as: change.from.name, in: folder)
    }

    /// Removes what has a temporary name of a change, when it is what the host knows. What a program has written since, be it
    /// in the moment for which the file had its place, or has open for writing, is kept under the item's name, or beside it.
    mutating func discard(_ temporary: String, of change: PlannedChange, in folder: borrowing OpenFile) {
        let name = change.from.name
        if case .item(let facts) = sighting.look(at: temporary, in: folder), let known = change.known(facts.key),
            isDisposable(temporary, of: change, in: folder, expected: known.facts, known.digest)
        {
            _ = FolderNames.remove(temporary, in: folder)
        } else {
            putBack(temporary, as: name, in: folder)
        }
    }

    /// Gives a file that was taken away its name back, or another one when that is taken.
    ///
    /// - Returns: whether its temporary name is free.
    @discardableResult
    func putBack(_ temporary: String, as name: EntryName, in folder: borrowing OpenFile) -> Bool {
        for number in 0...1000 {
            let other = number == 0 ? name.rawValue : RecoveredName.make(for: name, number)
            let result = names.place(temporary, in: folder, as: other, in: folder)
            if result == -EEXIST {
                guard sighting.isOneFile(temporary, in: folder, other, in: folder) else { continue }
                // An earlier run has come so far.
                return names.unlink(temporary, in: folder) == 0
            }
            if result == 0, number > 0 {
                logger.error("A document is kept as “\(other)”: another one took its name “\(name)” meanwhile.")
            }
            return result == 0 || result == -ENOENT
        }
        return false
    }
}

/// What a file is called that was found in the place of another one.
enum RecoveredName {
    /// With the dot. What is longer is no type.
    private static let longestEnding = 16

    /// The name with words before its ending that tell what it is; what would be too long is cut, and keeps its ending.
    static func make(for name: EntryName, _ number: Int) -> String {
        let suffix = number == 1 ? " (recovered)" : " (recovered \(number))"
        let text = name.description
        let (stem, ending) = parts(of: text)
        let whole = "\(stem)\(suffix)\(ending)"
        if whole.utf8.count <= ItemName.maximumLength { return whole }
        let isKept = ending.utf8.count <= longestEnding
        let beginning = beginning(of: isKept ? stem : text[...], room: 200)
        return "\(beginning)\(suffix)\(isKept ? ending : "")"
    }

    private static func parts(of text: String) -> (stem: Substring, ending: Substring) {
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex, text.index(after: dot) != text.endIndex else {
            return (text[...], "")
        }
        return (text[..<dot], text[dot...])
    }

    /// As many of the first characters as there is room for, in bytes.
    private static func beginning(of text: Substring, room: Int) -> String {
        var beginning = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += String(scalar).utf8.count
            guard length <= room else { break }
            beginning.append(scalar)
        }
        return String(beginning)
    }
}
