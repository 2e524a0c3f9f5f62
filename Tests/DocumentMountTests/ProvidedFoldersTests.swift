import DocumentModel
import SystemPackage
import Testing

@testable import DocumentMount

@Suite("Where documents are not mounted")
struct ProvidedFoldersTests {
    private func folders(_ settings: [String: String]) throws -> ProvidedFolders {
        let id = try ProviderIdentifier("org.example.folder")
        let provider = ProviderDescription(
            id: id, name: "Folder", bundlePath: "/p", executable: "/p/folder",
            settings: [
                SettingDescription(key: "folder", type: .path), SettingDescription(key: "note", type: .string),
            ])
        return ProvidedFolders(
            of: [DomainDescription(name: try DomainName("work"), providerID: id, settings: settings)], by: [provider])
    }

    @Test(
        "A mount is refused in a folder that a domain is made of, whatever that is called",
        arguments: ["/home/ann/Documents", "/home/ann/Documents/", "/home/ann/x/../Documents", "/link"])
    func inside(folder: String) throws {
        let provided = try folders(["folder": folder])
        for place in ["/home/ann/Documents/all", "/home/ann/Documents"] {
            let error = #expect(throws: DocumentError.self) {
                try provided.check(FilePath(place)) { $0 == "/link" ? "/home/ann/Documents" : $0 }
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("provider of work") == true)
        }
    }

    @Test("A mount is refused in what a provider may reach in each of its domains, and only where it has one")
    func fixedPlaces() throws {
        let id = try ProviderIdentifier("org.example.photos")
        let provider = ProviderDescription(
            id: id, name: "Photos", bundlePath: "/p", executable: "/p/photos", places: ["/srv/photos"])
        let domain = DomainDescription(name: try DomainName("work"), providerID: id)
        let error = #expect(throws: DocumentError.self) {
            try ProvidedFolders(of: [domain], by: [provider]).check("/srv/photos/all") { $0 }
        }
        #expect(error?.message.contains("provider of work") == true)
        try ProvidedFolders(of: [domain], by: [provider]).check("/srv/photos2") { $0 }
        try ProvidedFolders(of: [], by: [provider]).check("/srv/photos/all") { $0 }
    }

    @Test("Beside such a folder, and around it, a mount is nobody's concern; nor does a setting count that is no path")
    func outside() throws {
        let provided = try folders(["folder": "/home/ann/Documents", "note": "/home/ann"])
        for place in ["/home/ann/Documents2", "/home/ann/Docent", "/home"] {
            try provided.check(FilePath(place)) { $0 }
        }
        try folders(["folder": ""]).check("/home/ann/Docent") { $0 }
    }
}
