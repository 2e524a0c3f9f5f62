import DocumentModel
import Glibc
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("The catalogue of installed providers")
struct ProviderCatalogueTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @discardableResult
    private func install(
        _ name: String, identifier: String = "org.example.photos", executable: String = "provider",
        changes: [String: String] = [:]
    ) throws -> FilePath {
        let bundle = try folder.folder(name)
        var changes = changes
        changes["identifier"] = "\"\(identifier)\""
        changes["executable"] = "\"\(executable)\""
        try folder.file("\(name)/provider.toml", ManifestTests.text(changes))
        if !executable.hasPrefix("/") { try folder.file("\(name)/\(executable)", "#!/bin/sh\n", mode: 0o755) }
        return bundle
    }

    private func catalogue(explicit: [FilePath] = []) -> ProviderCatalogue {
        ProviderCatalogue(folders: [folder.path.appending("providers")], explicit: explicit)
    }

    @Test("Rule 60: bundles are found in folders and by explicit path")
    func bundlesAreFoundInFoldersAndByExplicitPath() throws {
        try install("providers/photos")
        try install("providers/music", identifier: "org.example.music")
        let lone = try install("elsewhere/lone", identifier: "org.example.lone")
        let catalogue = catalogue(explicit: [lone.appending("provider.toml"), lone])
        #expect(catalogue.problems.isEmpty)
        #expect(
            catalogue.bundles.map(\.manifest.identifier.rawValue) == [
                "org.example.lone", "org.example.music", "org.example.photos",
            ])
        #expect(catalogue.bundles.first?.executable == lone.appending("provider"))
    }

    @Test("Rule 61: a folder that is not there is empty, and what has no manifest is not ours")
    func aFolderThatIsNotThereIsEmptyAndWhatHasNoManifestIsNotOurs() throws {
        try folder.folder("providers/notes")
        try folder.file("providers/README", "")
        let catalogue = ProviderCatalogue(
            folders: [folder.path.appending("providers"), folder.path.appending("missing")])
        #expect(catalogue.bundles.isEmpty && catalogue.problems.isEmpty)
    }

    @Test func anExplicitBundleWithoutManifestIsAProblem() throws {
        let bundle = try folder.folder("empty")
        #expect(
            catalogue(explicit: [bundle]).problems.map(\.error.message) == [
                "“\(bundle)/provider.toml” is missing: a provider's folder must hold a manifest."
            ])
        let missing = folder.path.appending("missing")
        #expect(
            catalogue(explicit: [missing]).problems.map(\.error.message) == [
                "“\(missing)”, a provider's folder, cannot be reached: No such file or directory."
            ])
    }

    @Test("Rule 61: a broken bundle is reported, and the others work")
    func aBrokenBundleIsReportedAndTheOthersWork() throws {
        try install("providers/photos")
        let broken = try install("providers/broken", changes: ["modes": "[\"reed\"]"])
        let catalogue = catalogue()
        #expect(catalogue.bundles.count == 1)
        #expect(
            catalogue.problems.map(\.error.message) == [
                "The manifest “\(broken)/provider.toml” cannot be used: “reed” in “modes” is not known; there are import, open, export, move."
            ])
    }

    @Test("ID-6, rule 61: two installed providers with one identifier are both refused")
    func duplicates() throws {
        let one = try install("providers/a")
        let other = try install("providers/b")
        try install("providers/c", identifier: "org.example.music")
        let catalogue = catalogue()
        #expect(catalogue.bundles.map(\.manifest.identifier.rawValue) == ["org.example.music"])
        let message =
            "The provider “org.example.photos” is installed more than once: remove all but one of “\(one)” and “\(other)”."
        #expect(catalogue.problems.map(\.error.message) == [message, message])
        #expect(throws: DocumentError(.notConfigured, message)) {
            try catalogue.bundle(ProviderIdentifier("org.example.photos"))
        }
    }

    @Test("ID-6: one bundle that is reached by two ways is one provider")
    func sameBundleTwice() throws {
        let bundle = try install("providers/a")
        let link = folder.path.appending("link")
        symlink(bundle.string, link.string)
        let catalogue = catalogue(explicit: [bundle, link])
        #expect(catalogue.bundles.map(\.folder) == [bundle])
        #expect(catalogue.problems.isEmpty)
    }

    @Test func anUnknownProviderIsRefusedWithTheKnownOnes() throws {
        #expect(
            throws: DocumentError(
                .notConfigured, "No provider “org.example.music” is installed; there is none at all.")
        ) {
            try catalogue().bundle(ProviderIdentifier("org.example.music"))
        }
        try install("providers/a")
        #expect(
            throws: DocumentError(
                .notConfigured, "No provider “org.example.music” is installed; there are org.example.photos.")
        ) {
            try catalogue().bundle(ProviderIdentifier("org.example.music"))
        }
    }

    @Test(
        "A relative program is looked for beside the manifest and in the two folders above",
        arguments: ["providers/a", "providers", "."])
    func relativeProgram(place: String) throws {
        let bundle = try install("providers/a", executable: "/bin/sh")
        try folder.file("providers/a/provider.toml", ManifestTests.text(["executable": "\"provider\""]))
        try folder.file("\(place)/provider", "#!/bin/sh\n", mode: 0o755)
        let found = try ProviderBundle.load(folder: bundle).executable
        #expect(found == folder.path.appending(place).appending("provider").lexicallyNormalized())
    }

    @Test func aMissingProgramIsNamedWithThePlacesThatWereLookedIn() throws {
        let bundle = try folder.folder("providers/a")
        try folder.file("providers/a/provider.toml", ManifestTests.text())
        #expect(
            throws: DocumentError(
                .notConfigured,
                "The program “PhotosProvider” that “\(bundle)/provider.toml” names is not there: build or install it in one of “\(bundle)”, “\(folder.path)/providers”, “\(folder.path)”."
            )
        ) { try ProviderBundle.load(folder: bundle) }
    }

    @Test func aProgramThatCannotBeRunIsRefused() throws {
        let bundle = try install("providers/a")
        try TemporaryFolder.change(bundle.appending("provider"), mode: 0o644)
        #expect(
            throws: DocumentError(
                .notConfigured,
                "“\(bundle)/provider”, which “\(bundle)/provider.toml” names, is not a program that you may run: check what it is, or run “chmod +x \(bundle)/provider”."
            )
        ) { try ProviderBundle.load(folder: bundle) }
    }

    @Test(
        "Rule 62: what other users can change is refused",
        arguments: [
            ("", "the folder of a provider"), ("provider.toml", "the manifest of a provider"),
            ("provider", "the program of a provider"),
        ])
    func writableByOthers(name: String, what: String) throws {
        let bundle = try install("providers/a")
        let path = name.isEmpty ? bundle : bundle.appending(name)
        try TemporaryFolder.change(path, mode: 0o757)
        #expect(
            throws: DocumentError(
                .notConfigured,
                "“\(path)”, \(what), can be changed by other users: run “chmod o-w \(path)”, or remove the provider.")
        ) { try ProviderBundle.load(folder: bundle) }
    }

    @Test("Rule 62: a bundle below a folder that others can change is refused")
    func aBundleBelowAFolderThatOthersCanChangeIsRefused() throws {
        let bundle = try install("providers/a")
        try TemporaryFolder.change(folder.path.appending("providers"), mode: 0o777)
        #expect(throws: DocumentError.self) { try ProviderBundle.load(folder: bundle) }
        try TemporaryFolder.change(folder.path.appending("providers"), mode: 0o1777)
        _ = try ProviderBundle.load(folder: bundle)
    }

    @Test("Rule 62: what belongs to another user is refused")
    func whatBelongsToAnotherUserIsRefused() throws {
        let bundle = try install("providers/a")
        let owner = geteuid()
        let stranger = BundleTrust(user: owner + 1, group: getegid())
        if owner == 0 {
            _ = try ProviderBundle.load(folder: bundle, trust: stranger)
            guard chown(bundle.appending("provider").string, 12345, 12345) == 0 else { throw Errno(rawValue: errno) }
            #expect(throws: DocumentError.self) { try ProviderBundle.load(folder: bundle) }
        } else {
            #expect(throws: DocumentError.self) { try ProviderBundle.load(folder: bundle, trust: stranger) }
        }
    }

    @Test("Rule 62: a file that its group may write is refused unless the group is ours")
    func aFileThatItsGroupMayWriteIsRefusedUnlessTheGroupIsOurs() throws {
        let bundle = try install("providers/a")
        try TemporaryFolder.change(bundle.appending("provider.toml"), mode: 0o664)
        _ = try ProviderBundle.load(folder: bundle)
        guard chown(bundle.appending("provider.toml").string, geteuid(), 12345) == 0 else { return }
        #expect(throws: DocumentError.self) { try ProviderBundle.load(folder: bundle) }
    }

    @Test("Rule 62: a folder above a bundle that is somebody else's, or that a foreign group may write, is refused")
    func foldersAbove() throws {
        let bundle = try install("providers/a")
        let above = folder.path.appending("providers")
        // Our own group, and root's, may.
        try TemporaryFolder.change(above, mode: 0o775)
        _ = try ProviderBundle.load(folder: bundle)
        guard chown(above.string, geteuid(), 12345) == 0 else { return }
        let group = #expect(throws: DocumentError.self) { try ProviderBundle.load(folder: bundle) }
        #expect(
            group?.message
                == "“\(bundle)”, the folder of a provider, lies in “\(above)”, which other users can change: run “chmod g-w \(above)”, or move the provider."
        )
        try TemporaryFolder.change(above, mode: 0o1775)
        _ = try ProviderBundle.load(folder: bundle)
        try TemporaryFolder.change(above, mode: 0o755)
        _ = try ProviderBundle.load(folder: bundle)
        // The sticky bit does not bind the owner.
        try TemporaryFolder.change(above, mode: 0o1755)
        guard chown(above.string, 12345, 0) == 0 else { return }
        let owner = #expect(throws: DocumentError.self) { try ProviderBundle.load(folder: bundle) }
        #expect(
            owner?.message
                == "“\(bundle)”, the folder of a provider, lies in “\(above)”, which belongs to user 12345, who is neither you nor root: run “chown \(geteuid()) \(above)”, or move the provider."
        )
    }

    @Test("Rule 62: the digest is checked before the start")
    func theDigestIsCheckedBeforeTheStart() throws {
        // The SHA-256 of "#!/bin/sh\n".
        let digest = try FileDigest.sha256(of: try folder.file("x", "#!/bin/sh\n"))
        let bundle = try ProviderBundle.load(
            folder: try install("providers/a", changes: ["sha256": "\"\(digest)\""]))
        try bundle.verify()
        try folder.file("providers/a/provider", "#!/bin/sh\nexit\n", mode: 0o755)
        #expect(throws: DocumentError.self) { try bundle.verify() }
    }

    @Test func theDigestIsSHA256() throws {
        #expect(
            try FileDigest.sha256(of: try folder.file("abc", "abc"))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("Rule 60: the standard folders are the user's, the system's, and those beside the program")
    func theStandardFoldersAreTheUsersTheSystemsAndThoseBesideTheProgram() {
        let program = FilePath("/opt/docent/bin/docentd")
        #expect(
            ProviderCatalogue.standardFolders(environment: ["HOME": "/home/ann"], executable: program) == [
                "/home/ann/.local/share/docent/providers", "/usr/lib/docent/providers", "/opt/docent/bin/providers",
                "/opt/docent/lib/docent/providers",
            ])
        #expect(
            ProviderCatalogue.standardFolders(
                environment: ["HOME": "/home/ann", "XDG_DATA_HOME": "/data"], executable: program
            ).first == "/data/docent/providers")
        #expect(
            ProviderCatalogue.explicitBundles(environment: ["DOCENT_PROVIDER_PATH": "/a/b:/c"]) == ["/a/b", "/c"])
    }

    @Test func aFileThatIsNotForThisMachineIsToldApart() throws {
        let own = ELFImage.hostArchitecture()
        #expect(ELFImage.words(for: "/proc/self/exe") == "a program for \(own)")
        var head = [UInt8](repeating: 0, count: 20)
        head.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
        head[18] = 183
        #expect(ELFImage.words(head: head, host: "x86_64") == "a program for aarch64, and this machine is x86_64")
        #expect(
            ELFImage.words(head: Array("#! /usr/bin/python3 \nx".utf8), host: "x86_64")
                == "a script for “/usr/bin/python3”")
        #expect(
            ELFImage.words(head: Array("hello".utf8), host: "x86_64") == "neither a program of this system nor a script"
        )
    }
}
