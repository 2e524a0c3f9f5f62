import CHostSimulation
import DocumentSimulator
import Glibc

/// What of one machine's disk is safe, and what would be gone if its power went: names and contents apart.
///
/// The files themselves lie in memory, as they are now. Names come back in their order: what is kept of them is a prefix.
/// A flush of a folder keeps all names up to the last change in it; a flush of a file keeps its contents, and no name.
final class SimulatedDisk {
    fileprivate enum Piece {
        case bytes([UInt8], at: Int)
        case size(Int)
    }

    fileprivate struct Contents {
        var safe: [UInt8] = []
        var pieces: [Piece] = []
    }

    fileprivate enum NameChange {
        case made(String)
        case madeFolder(String)
        case unlinked(String, grave: String?)
        case removedFolder(String)
        case renamed(String, String, grave: String?)
        case exchanged(String, String)
    }

    private let graves: String
    private var lastGrave = 0
    private var contents: [ino_t: Contents] = [:]
    /// What is not safe yet, the oldest first.
    private var names: [NameChange] = []
    /// Of what is about to be unlinked or renamed over.
    private var nextGrave: String?

    /// - Parameter graves: a folder for files that have lost their last name, on the same file system.
    init(graves: String) {
        self.graves = graves
        mkdir(graves, 0o700)
    }

    // MARK: Changes

    func willChange(_ change: simulation_change) {
        let victim: UnsafePointer<CChar>? =
            switch change.kind {
            case SIMULATION_UNLINK: change.path
            case SIMULATION_RENAME: change.other
            default: nil
            }
        // The change before was not made after all.
        if let nextGrave { unlink(nextGrave) }
        nextGrave = nil
        var found = stat()
        guard let victim, lstat(victim, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return }
        lastGrave += 1
        let grave = "\(graves)/\(lastGrave)"
        if link(victim, grave) == 0 { nextGrave = grave }
    }

    func changed(_ change: simulation_change) {
        let path = String(cString: change.path)
        let other = change.other.map { String(cString: $0) } ?? ""
        switch change.kind {
        case SIMULATION_CREATE, SIMULATION_SYMLINK: names.append(.made(path))
        case SIMULATION_LINK: names.append(.made(other))
        case SIMULATION_MAKE_FOLDER: names.append(.madeFolder(path))
        case SIMULATION_UNLINK: names.append(.unlinked(path, grave: nextGrave))
        case SIMULATION_REMOVE_FOLDER: names.append(.removedFolder(path))
        case SIMULATION_RENAME: names.append(.renamed(path, other, grave: nextGrave))
        case SIMULATION_EXCHANGE: names.append(.exchanged(path, other))
        case SIMULATION_WRITE:
            guard let bytes = change.bytes else { break }
            let piece = Array(UnsafeRawBufferPointer(start: bytes, count: change.size))
            add(.bytes(piece, at: Int(change.offset)), to: change.file)
        case SIMULATION_TRUNCATE: add(.size(Int(change.offset)), to: change.file)
        case SIMULATION_FLUSH: flush(change.file, path)
        case SIMULATION_FLUSH_ALL: flushAll()
        default: break
        }
        nextGrave = nil
    }

    private func add(_ piece: Piece, to file: Int32) {
        guard let inode = Self.inode(of: file) else { return }
        contents[inode, default: Contents()].pieces.append(piece)
    }

    private static func inode(of file: Int32) -> ino_t? {
        var found = stat()
        return fstat(file, &found) == 0 ? found.st_ino : nil
    }

    // MARK: Flushes

    private func flush(_ file: Int32, _ path: String) {
        var found = stat()
        guard fstat(file, &found) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFDIR else { return flush(found.st_ino) }
        guard let last = names.lastIndex(where: { $0.folders.contains(Substring(path)) }) else { return }
        for change in names[...last] { change.bury() }
        names.removeFirst(last + 1)
    }

    private func flush(_ inode: ino_t) {
        guard contents[inode]?.pieces.isEmpty == false, var file = contents.removeValue(forKey: inode) else { return }
        for piece in file.pieces { piece.apply(to: &file.safe) }
        file.pieces = []
        contents[inode] = file
    }

    func flushAll() {
        for inode in Array(contents.keys) { flush(inode) }
        for change in names { change.bury() }
        names = []
    }

    // MARK: The power goes

    /// Makes the files what they are after that, and says what was lost.
    func loseUnflushed(
        below root: String, _ random: inout SeededRandom
    ) -> (names: Int, pieces: Int, torn: [String]) {
        let kept = random.once(in: 4) ? 0 : random.below(names.count + 1)
        let lostNames = names.count - kept
        for change in names[kept...].reversed() { change.undo() }
        for change in names[..<kept] { change.bury() }
        names = []
        var lostPieces = 0
        var torn: [String] = []
        var kinds: [ino_t: Int] = [:]
        for path in Self.files(below: root) {
            var found = stat()
            guard lstat(path, &found) == 0, let file = contents[found.st_ino], !file.pieces.isEmpty,
                kinds[found.st_ino] == nil
            else { continue }
            kinds[found.st_ino] = 1
            let count = random.once(in: 3) ? 0 : random.below(file.pieces.count + 1)
            lostPieces += file.pieces.count - count
            var bytes = file.safe
            for piece in file.pieces[..<count] { piece.apply(to: &bytes) }
            if count < file.pieces.count {
                Self.put(bytes, in: path)
                torn.append(path)
            }
            contents[found.st_ino] = Contents(safe: bytes)
        }
        return (lostNames, lostPieces, torn)
    }

    /// What is a part of the process, and not of the disk, is gone either way: files that were only open.
    private static func put(_ bytes: [UInt8], in path: String) {
        let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        close(file)
        simulation_touched(-1, path)
    }

    /// In an order that is the same each time.
    static func files(below folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [(name: String, isFolder: Bool)] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append((name, entry.pointee.d_type == UInt8(DT_DIR))) }
        }
        // By their bytes: there may be names that Swift holds to be equal.
        return names.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.flatMap { name, isFolder in
            isFolder ? files(below: "\(folder)/\(name)") : ["\(folder)/\(name)"]
        }
    }

    /// The same contents in a file of its own, so that nobody who had it open has anything of it.
    func renew(_ path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return }
        let old = contents.removeValue(forKey: found.st_ino)
        let bytes = Self.bytes(of: path)
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        if let inode = Self.inode(of: file) { contents[inode] = old }
        close(file)
    }

    static func bytes(of path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        return [UInt8](unsafeUninitializedCapacity: max(size, 0)) { buffer, count in
            count = max(pread(file, buffer.baseAddress, buffer.count, 0), 0)
        }
    }
}

extension SimulatedDisk.Piece {
    fileprivate func apply(to contents: inout [UInt8]) {
        switch self {
        case .bytes(let bytes, let offset):
            if contents.count < offset + bytes.count {
                contents += [UInt8](repeating: 0, count: offset + bytes.count - contents.count)
            }
            contents.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        case .size(let size):
            if contents.count > size {
                contents.removeLast(contents.count - size)
            } else {
                contents += [UInt8](repeating: 0, count: size - contents.count)
            }
        }
    }
}

extension SimulatedDisk.NameChange {
    /// The folders that it changes.
    fileprivate var folders: [Substring] {
        let paths: [String] =
            switch self {
            case .made(let path), .madeFolder(let path), .unlinked(let path, _), .removedFolder(let path): [path]
            case .renamed(let from, let to, _), .exchanged(let from, let to): [from, to]
            }
        return paths.map { path in path.lastIndex(of: "/").map { path[..<$0] } ?? "" }
    }

    fileprivate func undo() {
        switch self {
        case .made(let path): unlink(path)
        case .madeFolder(let path): rmdir(path)
        case .unlinked(let path, let grave): if let grave { rename(grave, path) }
        case .removedFolder(let path): mkdir(path, 0o700)
        case .renamed(let from, let to, let grave):
            rename(to, from)
            if let grave { rename(grave, to) }
        case .exchanged(let one, let other):
            let aside = one + ".aside"
            rename(one, aside)
            rename(other, one)
            rename(aside, other)
        }
    }

    /// It is for good.
    fileprivate func bury() {
        switch self {
        case .unlinked(_, let grave), .renamed(_, _, let grave): if let grave { unlink(grave) }
        case .made, .madeFolder, .removedFolder, .exchanged: break
        }
    }
}
