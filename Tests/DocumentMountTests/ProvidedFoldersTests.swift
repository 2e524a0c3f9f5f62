import DocumentModel
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentMount

@Suite("Where documents are not mounted", .timeLimit(.minutes(2)))
struct ProvidedFoldersTests {
    /// - Parameter settings: of a domain each.
    private func folders(_ settings: [String: String]...) throws -> ProvidedFolders {
        let id = try ProviderIdentifier("org.example.folder")
        let provider = ProviderDescription(
            id: id, name: "Folder", bundlePath: "/p", executable: "/p/folder",
            settings: [
                SettingDescription(key: "folder", type: .path), SettingDescription(key: "note", type: .string),
            ])
        let domains = try settings.enumerated().map { number, settings in
            let name = number == 0 ? "work" : "work-\(number)"
            return DomainDescription(name: try DomainName(name), providerID: id, settings: settings)
        }
        return ProvidedFolders(of: domains, by: [provider])
    }

    @Test(
        "A mount is refused in a folder that a domain is made of, whatever that is called",
        arguments: ["/home/ann/Documents", "/home/ann/Documents/", "/home/ann/x/../Documents", "/link"])
    func inside(folder: String) async throws {
        let provided = try folders(["folder": folder])
        for place in ["/home/ann/Documents/all", "/home/ann/Documents"] {
            let error = await #expect(throws: DocumentError.self) {
                try await provided.check(FilePath(place), within: .seconds(60)) {
                    $0 == "/link" ? "/home/ann/Documents" : $0
                }
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("provider of work") == true)
        }
    }

    @Test("A mount is refused in what a provider may reach in each of its domains, and only where it has one")
    func fixedPlaces() async throws {
        let id = try ProviderIdentifier("org.example.photos")
        let provider = ProviderDescription(
            id: id, name: "Photos", bundlePath: "/p", executable: "/p/photos", places: ["/srv/photos"])
        let domain = DomainDescription(name: try DomainName("work"), providerID: id)
        let error = await #expect(throws: DocumentError.self) {
            try await ProvidedFolders(of: [domain], by: [provider])
                .check("/srv/photos/all", within: .seconds(60)) { $0 }
        }
        #expect(error?.message.contains("provider of work") == true)
        try await ProvidedFolders(of: [domain], by: [provider]).check("/srv/photos2", within: .seconds(60)) { $0 }
        try await ProvidedFolders(of: [], by: [provider]).check("/srv/photos/all", within: .seconds(60)) { $0 }
    }

    @Test("Beside such a folder, and around it, a mount is nobody's concern; nor does a setting count that is no path")
    func outside() async throws {
        let provided = try folders(["folder": "/home/ann/Documents", "note": "/home/ann"])
        for place in ["/home/ann/Documents2", "/home/ann/Docent", "/home"] {
            try await provided.check(FilePath(place), within: .seconds(60)) { $0 }
        }
        try await folders(["folder": ""]).check("/home/ann/Docent", within: .seconds(60)) { $0 }
    }

    @Test("A folder that gives no answer, as on a network that is gone, keeps nobody from mounting elsewhere")
    func silent() async throws {
        let gate = Gate()
        defer { gate.open() }
        let provided = try folders(["folder": "/net/gone"], ["folder": "/home/ann/Documents"])
        let realPath: @Sendable (FilePath) -> FilePath? = { path in
            if path == "/net/gone" { gate.pass() }
            return path
        }
        try await provided.check("/home/ann/Docent", within: .milliseconds(20), realPath: realPath)
        let error = await #expect(throws: DocumentError.self) {
            try await provided.check("/home/ann/Documents/all", within: .milliseconds(20), realPath: realPath)
        }
        #expect(error?.message.contains("provider of work-1") == true)
    }

    private final class Gate: Sendable {
        private let isOpen = Mutex(false)

        func open() { isOpen.withLock { $0 = true } }

        func pass() {
            while !isOpen.withLock({ $0 }) { usleep(1000) }
        }
    }
}
