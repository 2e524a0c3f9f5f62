import DocumentModel
import DocumentTestSupport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentStorage

/// What domains sign in with, in a real keyring and beside ones that do not answer.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KeptSecretsTests {
    private let work: DomainName
    private let secrets = ["user": "ann", "password": "s3cret: ü=1"]

    init() throws {
        work = try DomainName("work")
    }

    /// A storage root beside a bus.
    private struct Place {
        let root: FilePath
        let bus: String

        func service(limit: Duration = .seconds(5), rest: Duration = .zero) -> SecretService {
            SecretService(owner: "root", bus: bus, limit: limit, rest: rest)
        }

        func kept(_ choice: KeptSecrets.Choice, _ service: SecretService? = nil) throws -> KeptSecrets {
            KeptSecrets(
                try SecretFolder(in: try RootFolder.open(root).makingFolders([".docent"])), service ?? self.service(),
                choice: choice,
                logger: Logger(label: "secrets") { _ in SwiftLogNoOpLogHandler() })
        }

        func file() throws -> String {
            try TemporaryFile.read(root.appending(".docent").appending("secrets").appending("work"))
        }
    }

    private func with(_ body: (Keyring, Place) async throws -> Void) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try await Keyring.with { keyring in try await body(keyring, Place(root: folder, bus: keyring.address)) }
    }

    @Test("AUTH-5: secrets are kept in a keyring that can be used, replaced, and removed there, and no file has them")
    func inKeyring() async throws {
        try await with { keyring, place in
            try keyring.start(password: "test")
            let kept = try place.kept(.auto)
            #expect(try kept.secrets(of: work) == nil)
            try kept.keep(["password": "old"], of: work)
            try kept.keep(secrets, of: work)
            #expect(try kept.secrets(of: work) == secrets)
            #expect(try !place.file().contains("s3cret"))
            #expect(try kept.domains() == [work])
            // Of another root nothing is found.
            #expect(try SecretService(owner: "other", bus: place.bus).text(of: work) == nil)
            try kept.remove(of: work)
            try kept.remove(of: work)
            #expect(try kept.secrets(of: work) == nil)
            #expect(try place.service().text(of: work) == nil)
        }
    }

    @Test("AUTH-5: secrets in files go to the keyring, and come back, when that is chosen, and not by themselves")
    func moving() async throws {
        try await with { keyring, place in
            let kept = try place.kept(.auto)
            try kept.keep(secrets, of: work)
            kept.move()
            #expect(try place.file().contains("s3cret"))
            #expect(throws: DocumentError.self) { try place.kept(.keyring).keep(["password": "new"], of: work) }
            #expect(try kept.secrets(of: work) == secrets, "what was refused has changed nothing")
            try keyring.start(password: "test")
            kept.move()
            #expect(try place.file().contains("s3cret"), "whose keyring it is nobody knows")
            #expect(try place.service().text(of: work) == nil)
            try place.kept(.keyring).move()
            #expect(try !place.file().contains("s3cret"))
            #expect(try kept.secrets(of: work) == secrets)
            kept.move()
            #expect(try !place.file().contains("s3cret"))
            #expect(try kept.secrets(of: work) == secrets)
            let files = try place.kept(.files)
            #expect(try files.secrets(of: work) == secrets, "what is in the keyring is found there")
            files.move()
            #expect(try place.file().contains("s3cret"))
            #expect(try place.service().text(of: work) == nil)
            #expect(try files.secrets(of: work) == secrets)
        }
    }

    @Test("AUTH-5: a keyring that is locked or gone is an error that says what to do, and nothing is taken for gone")
    func locked() async throws {
        try await with { keyring, place in
            let kept = try place.kept(.auto)
            try keyring.start(password: "test")
            try kept.keep(secrets, of: work)
            keyring.stop()
            func problem() -> String? {
                (#expect(throws: DocumentError.self) { try kept.secrets(of: work) })?.message
            }
            #expect(problem()?.contains("Start the desktop's keyring") == true)
            #expect(throws: DocumentError.self) { try kept.remove(of: work) }
            try keyring.start(password: nil)
            #expect(problem()?.contains("locked. Unlock it") == true)
            #expect(throws: DocumentError.self) { try place.kept(.keyring).keep(secrets, of: work) }
            #expect(throws: DocumentError.self) { try kept.remove(of: work) }
            #expect(try kept.domains() == [work])
            // Who signs in anew can, in a file.
            try kept.keep(["password": "new"], of: work)
            #expect(try kept.secrets(of: work) == ["password": "new"])
            keyring.stop()
            try keyring.start(password: "test")
            kept.move()
            #expect(try kept.secrets(of: work) == ["password": "new"])
            #expect(try place.service().text(of: work) == nil, "what the file has replaced is gone")
            try kept.keep(["password": "newer"], of: work)
            #expect(try kept.secrets(of: work) == ["password": "newer"])
            #expect(try !place.file().contains("new"))
        }
    }

    @Test("AUTH-5: what is left in a keyring from before a file took its place goes with the file")
    func leftBehind() async throws {
        try await with { keyring, place in
            let kept = try place.kept(.auto)
            try keyring.start(password: "test")
            try kept.keep(secrets, of: work)
            keyring.stop()
            try kept.keep(["password": "new"], of: work)
            try keyring.start(password: "test")
            try kept.remove(of: work)
            #expect(try place.service().text(of: work) == nil)
            #expect(try kept.secrets(of: work) == nil)
        }
    }

    @Test(
        "AUTH-5: what is left in a keyring that cannot be asked is remembered, and goes when it can",
        arguments: [KeptSecrets.Choice.auto, .files])
    func remembered(choice: KeptSecrets.Choice) async throws {
        try await with { keyring, place in
            try keyring.start(password: "test")
            try place.kept(.auto).keep(secrets, of: work)
            keyring.stop()
            let kept = try place.kept(choice)
            try kept.keep(["password": "new"], of: work)
            #expect(try kept.domains() == [work])
            try kept.remove(of: work)
            #expect(try kept.domains().isEmpty)
            #expect(try kept.secrets(of: work) == nil)
            kept.move()
            try keyring.start(password: "test")
            #expect(try place.service().text(of: work) != nil, "it is there to be removed")
            kept.move()
            #expect(try place.service().text(of: work) == nil)
        }
    }

    @Test("AUTH-5: without a choice for the keyring now, what a file has replaced there goes with the file")
    func leftBehindByFiles() async throws {
        try await with { keyring, place in
            try keyring.start(password: "test")
            try place.kept(.auto).keep(secrets, of: work)
            let kept = try place.kept(.files)
            try kept.keep(["password": "new"], of: work)
            #expect(try place.service().text(of: work) != nil)
            try kept.remove(of: work)
            #expect(try place.service().text(of: work) == nil)
        }
    }

    @Test("AUTH-5: what the keyring was given anew is not taken for what is left there")
    func usedAgain() async throws {
        try await with { keyring, place in
            try keyring.start(password: "test")
            let kept = try place.kept(.auto)
            let files = try place.kept(.files)
            try kept.keep(["password": "old"], of: work)
            try files.keep(["password": "new"], of: work)
            try kept.keep(secrets, of: work)
            kept.move()
            #expect(try kept.secrets(of: work) == secrets)
            // A host may end between the mark and the file.
            try TemporaryFile.write(
                "", to: place.root.appending(".docent").appending("secrets").appending(".stale-work"))
            kept.move()
            #expect(try kept.secrets(of: work) == secrets)
        }
    }

    @Test("AUTH-5: a default keyring that is in memory only is none")
    func inMemory() async throws {
        try await with { keyring, place in
            try keyring.start(password: "test")
            try keyring.makeSessionCollectionDefault()
            #expect(throws: DocumentError.self) { try place.service().check() }
            let kept = try place.kept(.auto)
            try kept.keep(secrets, of: work)
            #expect(try place.file().contains("s3cret"))
            #expect(throws: DocumentError.self) { try place.kept(.keyring).keep(secrets, of: work) }
            #expect(try place.service().text(of: work) == nil)
        }
    }

    @Test("AUTH-5: what somebody has removed from the keyring is asked for anew")
    func removedThere() async throws {
        try await with { keyring, place in
            try keyring.start(password: "test")
            let kept = try place.kept(.auto)
            try kept.keep(secrets, of: work)
            try place.service().remove(of: work)
            let error = #expect(throws: DocumentError.self) { try kept.secrets(of: work) }
            #expect(error?.message.contains("docent login work") == true)
            try kept.remove(of: work)
            #expect(try kept.secrets(of: work) == nil)
        }
    }

    @Test("AUTH-5: a keyring that ends while it is asked costs no secret", arguments: [0, 10, 30])
    func endsMeanwhile(milliseconds: Int) async throws {
        try await with { keyring, place in
            let kept = try place.kept(.auto)
            try keyring.start(password: "test")
            try kept.keep(["password": "old"], of: work)
            let ending = try keyring.endDaemon(after: milliseconds)
            try kept.keep(secrets, of: work)
            #expect(try await ending.exitStatus(within: .seconds(60)) == 0)
            ending.end()
            keyring.stop()
            try keyring.start(password: "test")
            #expect(try kept.secrets(of: work) == secrets)
        }
    }

    @Test("AUTH-5: a keyring that stops answering holds nobody up, and is not asked again at once")
    func silent() async throws {
        try await with { keyring, place in
            let daemon = try keyring.start(password: "test")
            try place.kept(.auto).keep(["password": "old"], of: work)
            kill(daemon, SIGSTOP)
            defer { kill(daemon, SIGCONT) }
            try expectPatience(place)
        }
    }

    @Test("AUTH-5: a bus that takes what it is sent, and says nothing, holds nobody up")
    func silentBus() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folder)/bus".utf8) }
        let isListening =
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            } == 0 && listen(listening, 16) == 0
        try #require(isListening)
        try expectPatience(Place(root: folder.appending("root"), bus: "unix:path=\(folder)/bus"))
    }

    private func expectPatience(_ place: Place) throws {
        let service = place.service(limit: .milliseconds(300), rest: .seconds(60))
        let kept = try place.kept(.auto, service)
        let began = ContinuousClock.now
        try kept.keep(secrets, of: work)
        #expect(try place.file().contains("s3cret"))
        #expect(try kept.secrets(of: work) == secrets)
        for _ in 0..<100 { #expect(throws: DocumentError.self) { try service.text(of: work) } }
        #expect(ContinuousClock.now - began < .seconds(15), "it would be 30 s, were it asked each time")
    }
}
