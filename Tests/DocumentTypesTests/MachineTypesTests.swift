import DocumentModel
import Glibc
import Testing

@testable import DocumentTypes

/// The database's files, as they are on a machine.
@Suite struct MachineTypesTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/docent-types.XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer {
            for name in ["globs2", "subclasses", "aliases"] { unlink(folder + "/" + name) }
            rmdir(folder)
        }
        try body(folder)
    }

    private func write(_ text: String, to path: String) throws {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    @Test func itIsReadAgainWhenItHasChangedAndMissedWhenItIsNotThere() throws {
        try withFolder { folder in
            let types = MachineTypes(folders: ["/nonexistent/mime", folder])
            #expect(types.current.type(ofDocumentNamed: "a.kra") == .data)
            try write("50:application/x-krita:*.kra\n", to: folder + "/globs2")
            #expect(types.current.type(ofDocumentNamed: "a.kra").identifier == "dyn.application.x-2dkrita")
            try write("50:application/x-other:*.kra\n# longer\n", to: folder + "/globs2")
            #expect(types.current.type(ofDocumentNamed: "a.kra").identifier == "dyn.application.x-2dother")
        }
    }

    @Test func whatIsNoTextFileIsLeftAlone() throws {
        try withFolder { folder in
            // Opening it must not wait for a writer.
            try #require(mkfifo(folder + "/globs2", 0o600) == 0)
            #expect(MachineTypes(folders: [folder]).current.type(ofDocumentNamed: "a.kra") == .data)
            unlink(folder + "/globs2")
            try write("50:application/x-krita:*.kra\n\u{0}", to: folder + "/globs2")
            #expect(MachineTypes(folders: [folder]).current.type(ofDocumentNamed: "a.kra") != .data)
        }
    }

    @Test func theUsualFoldersComeFromTheEnvironment() throws {
        try withFolder { folder in
            let parent = folder + "/data"
            mkdir(parent, 0o700)
            mkdir(parent + "/mime", 0o700)
            defer {
                unlink(parent + "/mime/globs2")
                rmdir(parent + "/mime")
                rmdir(parent)
            }
            try write("50:application/x-mine:*.mine\n", to: parent + "/mime/globs2")
            let types = MachineTypes { $0 == "XDG_DATA_HOME" ? parent : $0 == "XDG_DATA_DIRS" ? "relative:" : nil }
            #expect(types.current.type(ofDocumentNamed: "a.mine").identifier == "dyn.application.x-2dmine")
        }
    }

    /// scripts/test installs the package.
    @Test func thisMachinesOwnDatabaseIsUnderstood() throws {
        let database = MachineTypes().current
        let film = database.type(ofDocumentNamed: "holiday.webm")
        #expect(film.identifier == "dyn.video.webm")
        #expect(database.conforms(film, to: try ContentType("public.movie")))
        #expect(database.conforms(database.type(ofDocumentNamed: "notes.tex"), to: .plainText))
    }
}
