import DocumentModel
import DocumentTestSupport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentStorage

struct StorageRootTests {
    private let logger = Logger(label: "test")

    @Test("A new root is made with its folders, closed to others (ID-8)")
    func layout() throws {
        let storage = try StorageFixture()
        #expect(try FileSystemMoves.mode(of: storage.rootPath) == 0o700)
        for folder in ["documents", ".docent", ".docent/staging", ".docent/versions", ".docent/providers"] {
            #expect(try FileSystemMoves.mode(of: storage.rootPath.appending(FilePath(folder).components)) == 0o700)
        }
        let own = try storage.root.providerFolder(of: storage.domain)
        #expect(own == storage.rootPath.appending(FilePath(".docent/providers/work").components))
        #expect(try FileSystemMoves.mode(of: own) == 0o700)
    }

    @Test("A provider's folders go, whatever it made in them: a name that is no text, a closed folder, a great depth")
    func providersFoldersAreRemoved() throws {
        let storage = try StorageFixture()
        let folder = try storage.root.emptyTemporaryFolder(of: storage.domain)
        let noText = [CChar(bitPattern: 0xFF), 0]
        var place = open(folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(mkdirat(place, noText, 0o700) == 0)
        #expect(mkdirat(place, "closed", 0) == 0)
        for _ in 0..<3000 {
            mkdirat(place, "d", 0o700)
            let next = openat(place, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            close(place)
            place = next
        }
        #expect(place >= 0)
        close(place)
        let emptied = try storage.root.emptyTemporaryFolder(of: storage.domain)
        #expect(rmdir(emptied.string) == 0, "something is left in it")
        try storage.root.removeProviderFolder(of: storage.domain)
    }

    @Test("A root that others may enter is closed to them")
    func modeIsTightened() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try FileSystemMoves.makeFolder(folder.appending("root"), mode: 0o755)
        let root = try StorageRoot(at: folder.appending("root"), logger: logger)
        #expect(try FileSystemMoves.mode(of: root.path) == 0o700)
        try root.close()
    }

    @Test("A second host is refused, and told which process has the root; after closing it may have it")
    func lock() throws {
        let storage = try StorageFixture()
        let error = #expect(throws: DocumentError.self) { try StorageRoot(at: storage.rootPath, logger: logger) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("process \(getpid()):") == true)
        try storage.reopen()
    }

    @Test("A folder with others' files is refused and left as it is")
    func foreignFolder() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try FileSystemMoves.makeFolder(folder.appending("photos"), mode: 0o755)
        let error = #expect(throws: DocumentError.self) { try StorageRoot(at: folder, logger: logger) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("holds other files") == true)
        #expect(try FileSystemMoves.mode(of: folder.appending("photos")) == 0o755)
    }

    @Test("A relative path is refused")
    func relativePath() {
        let error = #expect(throws: DocumentError.self) { try StorageRoot(at: "some/where", logger: logger) }
        #expect(error?.code == .invalidArgument)
    }

    @Test("A root that is reached through a symbolic link is known by its real path")
    func rootBehindLink() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try FileSystemMoves.makeFolder(folder.appending("real"))
        try FileSystemMoves.link(folder.appending("real").string, folder.appending("link"))
        let root = try StorageRoot(at: folder.appending("link"), logger: logger)
        #expect(root.path == folder.appending("real"))
        try root.close()
    }

    @Test("A link in place of one of the root's own folders is not followed")
    func linkWithin() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try FileSystemMoves.makeFolder(folder.appending("elsewhere"))
        try FileSystemMoves.makeFolder(folder.appending("root"))
        try FileSystemMoves.link(folder.appending("elsewhere").string, folder.appending("root").appending("documents"))
        let error = #expect(throws: DocumentError.self) {
            try StorageRoot(at: folder.appending("root"), logger: logger)
        }
        #expect(error?.code == .outsideStorageRoot)
    }

    @Test("What a host that was killed while it tried its file system has left goes; what is somebody's stays")
    func leftTrials() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let path = folder.appending("root")
        let (staged, tried) = (path.appending(".docent/staging/probe-one"), path.appending("documents/.docent-probe"))
        for contents in ["", "somebody's"] {
            try StorageRoot(at: path, logger: logger).close()
            #expect(access(staged.string, F_OK) != 0 && access(tried.string, F_OK) != 0)
            try TemporaryFile.write("", to: staged)
            try TemporaryFile.write(contents, to: tried)
        }
        try StorageRoot(at: path, logger: logger).close()
        #expect(access(staged.string, F_OK) != 0)
        #expect(try TemporaryFile.read(tried) == "somebody's")
        var left: [String] = []
        try DirectoryHandle(trusting: path.appending("documents").string).forEachEntry { name, _ in
            left.append(name ?? "")
        }
        #expect(left == [".docent-probe"])
    }

    #if DEBUG
        @Test(
            "A file system that lacks what publishing needs is refused with the reason",
            arguments: [
                (SystemCall.setAttribute, EOPNOTSUPP, "extended attributes"), (.rename, EINVAL, "exchanged or renamed"),
            ])
        func unfitFileSystem(call: SystemCall, error: Int32, reason: String) throws {
            let folder = try TemporaryFolder.make()
            defer { TemporaryFolder.remove(folder) }
            let plan = FaultPlan()
            plan.fail(call, with: error)
            let failure = FaultPlan.$current.withValue(plan) {
                #expect(throws: DocumentError.self) {
                    try StorageRoot(at: folder.appending("root"), logger: logger)
                }
            }
            #expect(failure?.code == .localStorage)
            #expect(failure?.message.contains(reason) == true)
            #expect(failure?.message.contains("Choose a folder on a local disk") == true)
        }
    #endif

    @Test("A domain's own folder goes with all that is in it, and no link out of it is followed")
    func providerFolder() throws {
        let storage = try StorageFixture()
        let own = try storage.root.providerFolder(of: storage.domain)
        try storage.write("outside", to: storage.folder.appending("outside.txt"))
        try FileSystemMoves.makeFolder(own.appending("sub"))
        try storage.write("state", to: own.appending("sub").appending("state"))
        try FileSystemMoves.link(storage.folder.string, own.appending("link"))
        let staging = try [StagingUse.fetching(storage.domain), .sending(storage.domain)].map {
            try storage.root.staging.folder(for: $0)
        }
        try storage.write("half", to: staging[0].appending("half"))
        let others = try storage.root.staging.folder(for: .fetching(try DomainName("other")))
        try storage.root.removeProviderFolder(of: storage.domain)
        for folder in staging + [own] {
            #expect(throws: Errno.self) { try FileSystemMoves.mode(of: folder) }
        }
        _ = try FileSystemMoves.mode(of: others)
        #expect(try storage.read(storage.folder.appending("outside.txt")) == "outside")
    }

    @Test("The index of a newer version is refused, and so is another program's database", arguments: [true, false])
    func foreignIndex(isNewer: Bool) throws {
        let storage = try StorageFixture()
        try storage.root.close()
        let path = storage.rootPath.appending(".docent").appending("index.sqlite")
        try DatabaseEdits.execute(
            isNewer ? "PRAGMA user_version = 99" : "PRAGMA application_id = 7", on: path)
        let error = #expect(throws: DocumentError.self) { try StorageRoot(at: storage.rootPath, logger: logger) }
        #expect(error?.code == .localStorage)
        #expect(error?.message.contains(isNewer ? "update Docent" : "another program") == true)
    }

    @Test("A damaged index is an error that says what to do")
    func damagedIndex() throws {
        let storage = try StorageFixture()
        try storage.root.close()
        let path = storage.rootPath.appending(".docent").appending("index.sqlite")
        try storage.write(String(repeating: "no database ", count: 1000), to: path)
        let error = #expect(throws: DocumentError.self) { try StorageRoot(at: storage.rootPath, logger: logger) }
        #expect(error?.message.contains("is damaged") == true)
    }
}
