import DocentCommands
import DocumentClient
import DocumentModel
import Glibc
import Testing

/// What the listings look like, word for word.
struct ListingTests {
    init() {
        setenv("TZ", "UTC", 1)
        tzset()
    }

    private func status(
        _ name: String, kind: ItemKind = .document, state: ItemState = .placeholder, size: Int64? = 12_345,
        problem: DocumentError? = nil, progress: TransferProgress? = nil, conflictPath: String? = nil
    ) throws -> ItemStatus {
        ItemStatus(
            item: Item(
                id: try ItemIdentifier("id-\(name)"), parentID: .root, name: try ItemName(name), kind: kind,
                size: size, modified: Timestamp(seconds: 1_763_696_645), version: try ItemVersion(content: [1, 2])),
            location: try Location("work:/\(name)"), state: state, path: "/root/documents/work/\(name)",
            problem: problem, progress: progress, conflictPath: conflictPath)
    }

    @Test("Where the host's log is, is told with its status")
    func hostLog() throws {
        let status = HostStatus(version: "1.0", processID: 42, root: "/data/docent", started: .zero)
        let lines = HostListing.text(status).split(separator: "\n")
        #expect(lines.contains("Root    /data/docent"))
        #expect(
            lines.last == "Log     /data/docent/.docent/host.log; of a service: journalctl --user -u docentd")
    }

    @Test func aFolderIsAnAlignedTable() throws {
        let items = [
            try status("Reports", kind: .folder, size: 0), try status("notes.txt", state: .materialised, size: 7),
            try status("日本.md", state: .changed, size: nil),
        ]
        #expect(
            ItemListing.text(items, showsTitles: true) == """
                STATE           SIZE  MODIFIED          VERSION       NAME
                folder             –  2025-11-21 03:44  0102          Reports/
                here             7 B  2025-11-21 03:44  0102          notes.txt
                changed            ?  2025-11-21 03:44  0102          日本.md

                """)
    }

    @Test func pagesOfOneListingLineUp() throws {
        let first = ItemListing.text([try status("a")], showsTitles: true).split(separator: "\n")
        let second = ItemListing.text([try status("b", size: 999_999_999)], showsTitles: false).split(separator: "\n")
        #expect(first[1].count == second[0].count)
    }

    @Test func whatAProviderMakesUpIsOneCellOfATable() {
        var table = Table([Table.Column(""), Table.Column("")])
        table.add("Identifier", "a\u{1B}[2J\nState  here")
        #expect(table.text(showsTitles: false) == "Identifier  a\u{FFFD}[2J State  here\n")
    }

    @Test func oneItemIsToldInFull() throws {
        let item = try status(
            "a.txt", state: .conflict, problem: DocumentError(.inConflict, "Both sides changed."),
            conflictPath: "/root/.docent/versions/a")
        #expect(
            ItemListing.details(item) == """
                Location    work:/a.txt
                Kind        document, public.plain-text
                State       conflict: changed on both sides, and both contents are kept
                Size        12 KB (12345 bytes)
                Modified    2025-11-21 03:44
                Version     0102
                Identifier  id-a.txt
                Allowed     read, write, rename, move, delete
                Path        /root/documents/work/a.txt
                Other side  /root/.docent/versions/a
                Problem     Both sides changed.

                """)
    }

    @Test("XFER-8: a conflict of another device is told of an item, too, though nothing is in conflict here")
    func conflictElsewhere() throws {
        var item = try status("a b.txt", state: .materialised)
        #expect(!ItemListing.details(item).contains("Conflict"))
        item.item.conflictVersions = 1
        #expect(
            ItemListing.details(item).contains(
                "\nConflict    on another device; the remote keeps both sides: docent versions 'work:/a b.txt'\n"))
    }

    @Test("XFER-8: attributes of an item that programs ask for are keys of their own")
    func attributesInJSON() throws {
        func told(_ item: ItemStatus) -> [String] {
            guard case .object(let members) = item.json else { return [] }
            return members.compactMap { (name, value) -> String? in
                guard case .boolean(true) = value else { return nil }
                return name
            }
        }
        var item = try status("a.txt", state: .conflict)
        #expect(told(item) == ["isDownloaded", "hasUnresolvedConflicts"])
        item.state = .sending
        item.marks = ItemMarks(keeping: .excluded)
        #expect(told(item) == ["isDownloaded", "isUploading", "isExcludedFromSync"])
        item = try status("a.txt", state: .materialising)
        item.transfers.isDownloadRequested = true
        #expect(told(item) == ["isUploaded", "isDownloading", "downloadRequested"])
    }

    @Test("VER-15: what is not shown because of its name says what to do about it")
    func nameClash() throws {
        let text = StatusListing.text(try listed(try status("A.txt", state: .nameClash)))
        #expect(
            text.contains(
                """
                Needs a look:
                  work:/A.txt  name clash
                    Not shown: another name in its folder is the same but for case or Unicode form.
                    Rename one of the two on the remote; it is shown then.

                """))
    }

    @Test func statusSaysWhatIsUnderWayAndWhatNeedsALook() throws {
        let domain = DomainDescription(
            name: try DomainName("work"), providerID: try ProviderIdentifier("org.docent.folder"),
            providerState: .waiting, problem: DocumentError(.providerDied, "The provider ended.", causes: ["Signal 9."])
        )
        var sending = try status("a b.txt", state: .sending)
        sending.transfers.upload = TransferStatus(
            done: 50, expected: 200, percent: 25, bytesPerSecond: 30, timeLeft: .seconds(5))
        let status = StorageStatus(
            domains: [
                DomainStatus(
                    domain: domain, items: 9, materialised: 2, materialisedBytes: 2_000, unsent: 1, conflicts: 1)
            ],
            items: [
                sending, try status("c d.txt", state: .conflict, conflictPath: "/v/c"),
            ],
            transfers: TransferSummary(
                waiting: 1, underWay: 1, failed: 2, bytesLeft: 150, bytesPerSecond: 30, timeLeft: .seconds(5)))
        #expect(
            StatusListing.text(status) == """
                DOMAIN  PROVIDER           STATE    KNOWN  HERE   BYTES  UNSENT  CONFLICTS
                work    org.docent.folder  waiting      9     2  2.0 KB       1          1

                work: The provider ended.
                  because: Signal 9.

                Transfers: 1 under way, 1 waiting, 2 failed, 150 B to go, 30 B/s, 5 s left

                Under way:
                  work:/a b.txt  sending, 25 % (50 B of 200 B), 30 B/s, 5 s left

                Needs a look:
                  work:/c d.txt  conflict
                    The other side's contents: /v/c
                    Choose with: docent resolve 'work:/c d.txt' --keep local|remote|both, or --merge

                """)
    }

    @Test("XFER-8: a folder that the remote does not take is among what needs a look, with what it waits for")
    func folderThatWaits() throws {
        var folder = try status("New", state: .placeholder)
        folder.item.kind = .folder
        folder.problem = DocumentError(.cannotSynchronize, "It cannot be made.")
        folder.transfers.upload = TransferStatus(wait: .provider, problem: folder.problem)
        #expect(
            StatusListing.text(try listed(folder)).contains(
                """
                Needs a look:
                  work:/New  folder, waits for its provider
                    It cannot be made.

                """))
    }

    @Test("VER-5: the lists of conflicts and of what needs a look name the same command, which a shell takes as it is")
    func conflictsNameTheCommand() throws {
        let item = try status("it's c d.txt", state: .conflict, conflictPath: "/v/c")
        let sides = [
            DocumentVersion(
                id: "current", kind: .current, path: "/work/c", modified: item.item.modified, isInPlace: true),
            DocumentVersion(id: "4f1c", kind: .conflict, path: "/v/c", modified: item.item.modified, device: "ada's"),
        ]
        let command = "Choose with: docent resolve 'work:/it'\\''s c d.txt' --keep local|remote|both, or --merge"
        #expect(
            VersionListing.text(ofConflicts: [(item, sides)]) == """
                work:/it's c d.txt
                  here, wins: /work/c (2025-11-21 03:44)
                  the remote's: /v/c (2025-11-21 03:44, saved by ada's)
                  \(command)

                """)
        #expect(StatusListing.text(try listed(item)).contains("    \(command)\n"))
    }

    private func listed(_ item: ItemStatus) throws -> StorageStatus {
        let domain = DomainDescription(
            name: try DomainName("work"), providerID: try ProviderIdentifier("org.docent.folder"),
            providerState: .running)
        return StorageStatus(domains: [DomainStatus(domain: domain, items: 1)], items: [item])
    }

    @Test func withNothingSetUpTheNextStepIsNamed() {
        #expect(
            StatusListing.text(StorageStatus(domains: [], items: []))
                == "There is no domain yet: “docent domain add NAME --provider ID” makes one.\n")
    }

    @Test func aProviderTellsItsPermissionsAndSettingsInWords() throws {
        let provider = ProviderDescription(
            id: try ProviderIdentifier("org.docent.folder"), name: "Folder", version: "1.0", bundlePath: "/p/Folder",
            executable: "/p/Folder/FolderProvider", pickerModes: [.import, .open], supportedTypes: [.content],
            capabilities: [.modifying],
            settings: [
                SettingDescription(key: "path", type: .path, required: true, description: "The folder."),
                SettingDescription(key: "depth", type: .integer, defaultValue: "3", description: "How deep."),
                SettingDescription(key: "word", type: .string, isSecret: true, description: "What nobody sees."),
            ], permissions: ["May read and change: the folder you give as “path”."],
            gaps: ["This kernel lets it do more."])
        #expect(
            ProviderListing.details(provider) == """
                Identifier  org.docent.folder
                Name        Folder
                Version     1.0
                Modes       import, open
                Types       public.content
                Can also    make, change and remove items (modifying)
                Domains     –
                Bundle      /p/Folder

                What it may do, beside using its own folders:
                  May read and change: the folder you give as “path”.
                But here not all of it can be enforced:
                  This kernel lets it do more.

                Settings, for “docent domain add NAME --provider org.docent.folder --set key=value”:
                  path   path     required    The folder.
                  depth  integer  default: 3  How deep.
                  word   secret   optional    What nobody sees.

                What is secret is read from a file, --set word=@FILE, or from standard input, --set word=-.

                """)
    }

    @Test func keysOfAnItemInJSONAreStable() throws {
        guard case .object(let members) = try status("a").json else {
            Issue.record("An item is no object")
            return
        }
        #expect(
            members.map(\.0) == [
                "location", "name", "kind", "state", "size", "modified", "created", "type", "identifier",
                "contentVersion", "metadataVersion", "capabilities", "path", "problem", "progress", "conflictPath",
                "conflictVersions",
                "isDownloaded", "isUploaded", "isDownloading", "isUploading", "hasUnresolvedConflicts",
                "isExcludedFromSync", "downloadingStatus", "downloadRequested", "download", "upload", "keeping",
                "ownKeeping", "ignoredBy", "paused",
            ])
    }
}
