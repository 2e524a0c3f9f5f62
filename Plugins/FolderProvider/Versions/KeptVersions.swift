internal import DocumentModel
internal import Logging

/// The versions that are kept, and whose they are.
struct KeptVersions {
    /// Whether the folder is to be looked at.
    var isStale = true
    /// Why it could not be looked at the last time: what is kept may be more than is known.
    var failure: DocumentError?
    var notes: [String: VersionNote] = [:]
    /// By version. A document stays the one that it is, wherever it moves and whatever file it is.
    var documents: [String: RecordID] = [:]
    /// The sides of conflicts that were told of, by document.
    private var told: [RecordID: Set<String>] = [:]

    mutating func take(_ notes: [String: VersionNote]) {
        isStale = false
        failure = nil
        self.notes = notes
        documents = documents.filter { notes[$0.key] != nil }
    }

    /// Finds out whose versions they are.
    mutating func attach(in tree: FolderTree) {
        for (id, note) in notes {
            if let known = documents[id], tree.records[known] != nil { continue }
            let record = owner(of: note, in: tree)
            documents[id] = record.flatMap { $0.facts.isFolder ? nil : $0.id }
        }
    }

    /// The document that a note is about: the one at its place, when that is the file; else the one that the file has moved with.
    private func owner(of note: VersionNote, in tree: FolderTree) -> FolderRecord? {
        let there = tree.record(at: note.path)
        let holders = tree.ids(of: note.key).sorted()
        if let there, holders.contains(there.id) { return there }
        // Without the time of its birth, a number may have been given to another file since, or be another one's on this machine.
        guard note.key.born != nil, holders.count == 1 else { return there }
        return tree.records[holders[0]]
    }

    /// The versions of a document, sides of conflicts first.
    func versions(of id: RecordID) -> [(id: String, note: VersionNote)] {
        documents.filter { $0.value == id }.keys.sorted().compactMap { version in
            notes[version].map { (version, $0) }
        }.sorted { $0.note.role == .conflict && $1.note.role != .conflict }
    }

    /// How many sides are kept of each document; and of which documents others than were told before.
    mutating func sides() -> (counts: [RecordID: Int], changed: Set<RecordID>) {
        var now: [RecordID: Set<String>] = [:]
        for (version, document) in documents where notes[version]?.role == .conflict {
            now[document, default: []].insert(version)
        }
        let changed = Set(now.keys).union(told.keys).filter { now[$0] != told[$0] }
        told = now
        return (now.mapValues { min($0.count, ProvidedVersion.mostOfOneDocument) }, Set(changed))
    }
}

extension FolderMirror {
    /// Brings what is kept up to date with the folder and with the documents: at the end of every look.
    mutating func followKeptVersions(_ root: borrowing OpenFile) {
        let wasStale = kept.isStale
        guard wasStale || !kept.notes.isEmpty else { return }
        do throws(DocumentError) {
            guard let folder = try VersionsFolder.open(in: root) else {
                kept.take([:])
                tell()
                return
            }
            if wasStale {
                // Before it is read: what comes meanwhile is told.
                folder.watch(by: &watches)
                let (notes, left) = try folder.read(sighting, tag: tag)
                if !isScanned { for name in left { folder.discard(name) } }
                kept.take(notes)
            }
            kept.attach(in: tree)
            if !settings.isReadOnly { follow(folder) }
            tell()
        } catch {
            if kept.failure?.message != error.message { logger.warning("\(error)") }
            kept.failure = error
        }
    }

    private mutating func tell() {
        let (counts, changed) = kept.sides()
        tree.setSides(counts, retelling: changed)
    }

    private mutating func follow(_ folder: borrowing VersionsFolder) {
        for (version, document) in kept.documents {
            guard var note = kept.notes[version], let record = tree.records[document],
                let path = tree.components(of: document), note.path != path || note.key != record.facts.key
            else { continue }
            note.path = path
            note.key = record.facts.key
            guard note.bytes.count <= VersionNote.largest else { continue }
            kept.notes[version] = note
            folder.follow(version, with: note, tag: tag)
        }
    }
}
