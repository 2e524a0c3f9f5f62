internal import CDocentShims
internal import DocumentModel

// A time of change says that something of a file is another, not what. A program that sets a mode or an attribute makes no other
// version of a document, which would be in conflict with what waits to be sent; one that writes it and sets its times back does.
// So such a file is read, where it is known what it had. Where many were touched, as by “chmod -R”, a look reads some of them only,
// and the others one by one beside it; until then they are what they were, and are neither replaced nor removed.

extension FolderMirror {
    /// Finds out whether a file that was seen has other contents, before the tree is told of it.
    mutating func judge(_ facts: FileFacts, at place: Place, in folder: borrowing OpenFile) {
        guard !tree.contents.isEmpty else { return }
        // Of nearly all files nothing is another.
        if let record = tree.record(at: place), record.facts.changed == facts.changed { return }
        guard !tree.doubtful(facts).isEmpty, facts.size <= ContentDigest.largest else { return }
        guard readingLeft.allows(facts.size) else { return tree.note(.unsettled, of: facts) }
        let start = settings.pace.now()
        let reading: Reading
        do throws(SystemFailure) {
            let file = try folder.openBeneath(place.name.rawValue, .document)
            reading = Reading.of(file, facts, sighting)
        } catch {
            reading = Reading(error)
        }
        readingLeft.take(facts.size, start.duration(to: settings.pace.now()))
        tree.note(reading, of: facts)
    }

    // MARK: Beside the looks

    /// The documents that were not read yet, those first that come after the one that was read last.
    var unsettled: [RecordID] {
        let ids = tree.unsettled.sorted()
        return ids.filter { $0 > readLast } + ids.filter { $0 <= readLast }
    }

    /// Opens a document that was not read yet.
    ///
    /// - Returns: nil where there is nothing to read: what became of it is found out at once, if it can be.
    mutating func openUnsettled(_ id: RecordID) -> UnreadDocument? {
        readLast = id
        guard tree.unsettled.contains(id), let place = tree.place(of: id), let root = try? openRoot(),
            let folder = try? openFolder(place.parent, root)
        else { return nil }
        if case .item(let facts) = sighting.look(at: place.name.rawValue, in: folder),
            tree.doubtful(facts).contains(id)
        {
            do throws(SystemFailure) {
                let file = try folder.openBeneath(place.name.rawValue, .document)
                return UnreadDocument(file: file, facts: facts, sighting: sighting)
            } catch {
                tree.note(Reading(error), of: facts)
            }
        }
        dirt.names[place.parent, default: []].insert(place.name)
        process(root)
        return nil
    }

    /// Takes over what reading a document has come to, unless it was changed meanwhile.
    mutating func settle(_ id: RecordID, _ reading: Reading, _ facts: FileFacts) {
        guard reading != .unsettled, let place = tree.place(of: id), let root = try? openRoot() else { return }
        tree.note(reading, of: facts)
        dirt.names[place.parent, default: []].insert(place.name)
        process(root)
    }

    // MARK: What it is compared with

    /// Whether what has a name in a folder has the contents that a digest is of; true where nobody can tell.
    func mayHave(_ digest: [UInt8]?, _ name: EntryName, in folder: borrowing OpenFile, size: Int64) -> Bool {
        guard let digest, let file = try? folder.openBeneath(name.rawValue, .document) else { return true }
        return ContentDigest.of(file, size: size) == digest
    }

    /// The same of what has an item's place.
    func mayHave(_ digest: [UInt8]?, _ record: FolderRecord, _ root: borrowing OpenFile) -> Bool {
        guard digest != nil, let place = tree.place(of: record.id), let folder = try? openFolder(place.parent, root)
        else { return true }
        return mayHave(digest, place.name, in: folder, size: record.facts.size)
    }

    /// Notes what a document's version stands for, as somebody has that now.
    mutating func note(_ sha256: [UInt8]?, of id: RecordID, _ contentVersion: [UInt8]) {
        guard let sha256, tree.records[id]?.contentVersion == contentVersion else { return }
        tree.note(sha256, of: id)
    }
}
