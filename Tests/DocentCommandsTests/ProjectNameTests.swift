import DocentCommands
import DocumentModel
import Testing

/// What a new provider may be called, and what its parts are called then.
struct ProjectNameTests {
    @Test(
        "a name becomes a word, a type and an identifier",
        arguments: [
            ("photos", "photos", "PhotosProvider"), ("my-photos", "my-photos", "MyPhotosProvider"),
            ("MyPhotos", "my-photos", "MyPhotosProvider"), ("S3", "s3", "S3Provider"),
            ("photosProvider", "photos-provider", "PhotosProvider"), ("v2-web", "v2-web", "V2WebProvider"),
        ])
    func parts(_ name: String, _ word: String, _ type: String) throws {
        let project = try ProjectName(name)
        #expect(project.folder == name)
        #expect(project.word == word)
        #expect(project.type == type)
        #expect(project.identifier.rawValue == "org.example.\(word)")
    }

    @Test(
        "what is no name is refused",
        arguments: [
            "", "-", "-a", "a-", "a--b", "1a", "a b", "a/b", "..", "a.b", "ä", "a\nb", "a\"b", "provider", "Document",
            String(repeating: "a", count: 65),
        ])
    func refusals(_ name: String) {
        #expect { try ProjectName(name) } throws: { error in
            (error as? DocumentError)?.code == .invalidArgument
        }
    }

    @Test("a package's place becomes a dependency")
    func packages() throws {
        let folder = try DocentPackage("/home/me/Docent")
        #expect(folder.identity == "docent")
        #expect(folder.dependency == #".package(path: "/home/me/Docent")"#)
        let repository = try DocentPackage("https://example.org/tools/docent.git")
        #expect(repository.identity == "docent")
        #expect(repository.dependency == #".package(url: "https://example.org/tools/docent.git", branch: "main")"#)
        #expect(try DocentPackage("/home/a \"b\"").dependency == #".package(path: "/home/a \"b\"")"#)
        for place in ["", "/", "docent", "https://example.org/a b", "https://example.org/\"x\""] {
            #expect(throws: DocumentError.self, "\(place)") { try DocentPackage(place) }
        }
    }
}
