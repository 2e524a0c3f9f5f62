import DocentCommands
import DocumentClient
import DocumentModel
import Testing

@Suite("The room of a remote as people read it")
struct QuotaTextTests {
    @Test(
        "CONT-13: what is left comes first, and what is not told is left out",
        arguments: [
            (20_000_000, 12_000_000, 8_000_000, "8.0 MB left of 20 MB, 12 MB used"),
            (20_000_000, 12_000_000, nil, "8.0 MB left of 20 MB, 12 MB used"), (nil, nil, 500, "500 B left"),
            (nil, 500, nil, "500 B used"), (2_000, nil, nil, "2.0 KB in all"),
            (2_000, 2_500, nil, "nothing left of 2.0 KB, 2.5 KB used"), (nil, nil, 0, "nothing left"),
        ] as [(UInt64?, UInt64?, UInt64?, String)])
    func line(_ total: UInt64?, _ used: UInt64?, _ available: UInt64?, _ text: String) throws {
        let told = ToldQuota(
            try RemoteQuota(total: total, used: used, available: available), asOf: Timestamp(seconds: 1_700_000_000))
        #expect(QuotaText.line(told).hasPrefix(text + ", as of 2023-11-1"), "\(QuotaText.line(told))")
    }

    @Test("CONT-13, XFER-8: status names the room, and beside what waits for room, too")
    func status() throws {
        var domain = DomainDescription(
            name: try DomainName("work"), providerID: try ProviderIdentifier("org.docent.folder"))
        domain.quota = ToldQuota(try RemoteQuota(total: 2_000, used: 1_999), asOf: Timestamp(seconds: 1_700_000_000))
        var waiting = ItemStatus(
            item: Item(
                id: try ItemIdentifier("a"), parentID: .root, name: try ItemName("a.txt"), kind: .document, size: 5,
                version: try ItemVersion(content: [1])),
            location: try Location("work:/a.txt"), state: .changed, path: "/root/documents/work/a.txt")
        waiting.transfers.upload = TransferStatus(wait: .remoteSpace)
        let text = StatusListing.text(StorageStatus(domains: [DomainStatus(domain: domain)], items: [waiting]))
        #expect(text.contains("Room on the remote:\n  work: 1 B left of 2.0 KB, 2.0 KB used, as of"), "\(text)")
        #expect(text.contains("    The remote has 1 B left of 2.0 KB"), "\(text)")
        #expect(DomainListing.details(domain).contains("Remote room"))
    }
}
