import DocumentModel
import DocumentWire
import Testing

@Suite("What is told to those who are told no paths")
struct WithoutPathsTests {
    private static let root = "/home/ann/.local/share/docent"
    private let problem = DocumentError(.localStorage, "\(Self.root)/documents/work/a.txt cannot be read.")

    private func status() throws -> ItemStatus {
        let item = Item(
            id: try ItemIdentifier("a"), parentID: .root, name: try ItemName("a.txt"), kind: .document, size: 1,
            modified: .zero, created: .zero, version: try ItemVersion(content: [1], metadata: [1]))
        return ItemStatus(
            item: item, location: try Location("work:/a.txt"), state: .conflict,
            path: "\(Self.root)/documents/work/a.txt", problem: problem,
            conflictPath: "\(Self.root)/.docent/versions/kept",
            transfers: ItemTransfers(
                download: TransferStatus(problem: problem), upload: TransferStatus(wait: .choice, problem: problem)))
    }

    private func domain() throws -> DomainDescription {
        DomainDescription(
            name: try DomainName("work"), providerID: try ProviderIdentifier("org.example.test"), problem: problem,
            recordings: "\(Self.root)/.docent/recordings/work")
    }

    /// Whatever a reply says.
    private func expectNoPaths(_ reply: ServiceReply) throws -> ServiceReply {
        let told = reply.withoutPaths(below: Self.root)
        #expect(!String(describing: told).contains(Self.root), "\(told)")
        // And it can be read.
        #expect(try ServiceReply(serialized: told.serialized()) == told)
        return told
    }

    @Test("PICK-21: an item is told without its path, that of the other side, and those in what went wrong")
    func items() throws {
        guard case .item(let item) = try expectNoPaths(.item(status())) else {
            Issue.record("another reply")
            return
        }
        #expect(item.path.isEmpty && item.conflictPath == nil)
        #expect(item.problem?.message == "work/a.txt cannot be read.")
        #expect(item.transfers.download?.problem?.message == "work/a.txt cannot be read.")
        #expect(item.transfers.upload?.problem?.message == "work/a.txt cannot be read.")
        #expect(item.transfers.upload?.wait == .choice)
    }

    @Test("PICK-21: so are domains, and what happens to them")
    func domains() throws {
        _ = try expectNoPaths(.listDomains([domain()]))
        _ = try expectNoPaths(.transfers(.events([.domain(domain()), .changed(status())])))
    }

    @Test("PICK-21: of the host nobody is told where its files are, or what it found in them")
    func host() throws {
        let status = HostStatus(
            version: "1", processID: 7, root: Self.root, started: Timestamp(seconds: 5),
            findings: ["\(Self.root)/documents/work/b.txt belongs to no item.", "work:/c.txt is gone."])
        guard case .hostStatus(let told) = try expectNoPaths(.hostStatus(status)) else {
            Issue.record("another reply")
            return
        }
        #expect(told.root.isEmpty && told.findings.isEmpty && told.processID == 7)
    }
}
