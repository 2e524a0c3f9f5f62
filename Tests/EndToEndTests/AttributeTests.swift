import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import Testing

/// Presenters that show where their document stands.
@Suite(.serialized) struct AttributeTests {
    private final class Badge: AttributePresenter {
        let presentedItemLocation: Location?
        let observedPresentedItemAttributes: Set<ItemAttribute>
        private let told = Mutex<Set<ItemAttribute>>([])

        init(_ location: Location, _ attributes: Set<ItemAttribute>) {
            presentedItemLocation = location
            observedPresentedItemAttributes = attributes
        }

        var attributes: Set<ItemAttribute> { told.withLock { $0 } }

        func presentedItemDidChange(attributes: Set<ItemAttribute>) async {
            told.withLock { $0.formUnion(attributes) }
        }

        func hears(_ wanted: Set<ItemAttribute>) async throws -> Bool {
            for _ in 0..<500 where attributes != wanted { try await Task.sleep(for: .milliseconds(20)) }
            return attributes == wanted
        }
    }

    @Test("COORD-41: a presenter is told of the attributes that it asked for, and of no other")
    func attributes() async throws {
        try await Machine.with { machine async throws in
            try machine.write("one", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let location = try Location("work:/a.txt")
            try await machine.client { client async throws in
                let download = Badge(location, [.isDownloaded])
                let upload = Badge(location, [.isUploaded, .isUploading])
                try await client.addPresenter(download)
                try await client.addPresenter(upload)
                try await client.download(location)
                #expect(try await download.hears([.isDownloaded]))
                #expect(upload.attributes == [])
                // Its remote is away, so that it stays unsent for a while.
                try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
                try await client.coordinate(writingItemAt: location) { path, _ in
                    try machine.write("two", to: path.string)
                }
                for _ in 0..<500 where !upload.attributes.contains(.isUploaded) {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(upload.attributes.isSubset(of: [.isUploaded, .isUploading]))
                #expect(upload.attributes.contains(.isUploaded) && download.attributes == [.isDownloaded])
                try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
                // What was under way may have found it away.
                try? await client.waitUntilSent(location)
                try await client.waitUntilSent(location)
                try await client.removePresenter(download)
                try await client.removePresenter(upload)
            }
        }
    }

    @Test("COORD-41, XFER-8: a presenter is told when other contents are here, and when its document is excluded")
    func standing() async throws {
        try await Machine.with { machine async throws in
            try machine.write("one", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let location = try Location("work:/a.txt")
            try await machine.client { client async throws in
                let badge = Badge(location, [.downloadingStatus, .isExcludedFromSync])
                try await client.addPresenter(badge)
                try await client.download(location)
                let isHere = try await badge.hears([.downloadingStatus])
                #expect(isHere, "\(badge.attributes)")
                try machine.succeed("exclude", "work:/a.txt")
                let isExcluded = try await badge.hears([.downloadingStatus, .isExcludedFromSync])
                #expect(isExcluded, "\(badge.attributes)")
                try await client.removePresenter(badge)
            }
        }
    }
}
