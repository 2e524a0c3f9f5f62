import DocumentModel
import DocumentTestSupport
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import WebDAVProvider

/// What people's servers answer. Everything that is read here lies on disk, so what has to come out is known.
@Suite("Servers that people run", .serialized)
struct RealServerTests {
    private static let oddNames = [
        "plain.txt", "with blank.txt", " blanks ", "50% #1?.txt", "a&b<c>\"d'.txt", "Ä€😀.txt", "e\u{301}.txt", "é.txt",
        "semi;colon=1,2.txt", "[x]{y}^`|.txt", "plus+sign.txt", "%41.txt", "%2F.txt", "...", "~tilde",
        "back\\slash.txt",
        "colon:.txt", "@at$.txt", "trailing.", "-dash", String(repeating: "n", count: 200),
    ]

    @Test("names of every kind, pages, sizes and versions", arguments: RealServer.Kind.allCases)
    func listing(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            // nginx lists nothing that begins with two dots.
            let oddNames = Self.oddNames.filter { kind != .nginx || !$0.hasPrefix("..") }
            for name in oddNames { try server.write("x", to: "data/" + name) }
            try server.makeFolder("data/A folder/in & out")
            try server.write("abc", to: "data/A folder/in & out/leaf 1.txt")
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let expected = (oddNames + ["A folder"]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                let names = try await fixture.names(count: 5)
                #expect(names.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
                for name in names {
                    let item = try await fixture.domain.item(for: ItemIdentifier(name))
                    #expect(item.name?.rawValue == name && item.parentID == .root)
                    #expect(item.kind == (name == "A folder" ? .folder : .document))
                    #expect(item.size == (item.kind == .folder ? 0 : 1))
                    #expect(item.version.content.isEmpty == (item.kind == .folder))
                }
                let inner = try ItemIdentifier("A folder/in & out")
                let page = try await fixture.domain.items(in: inner, page: nil, suggestedCount: 10)
                let leaf = try #require(page.items.first)
                #expect(page.items.count == 1 && leaf.id.rawValue == "A folder/in & out/leaf 1.txt")
                #expect(try await fixture.domain.item(for: leaf.id) == leaf, "a page and a look give the same")
                let root = try await fixture.domain.item(for: .root)
                #expect(root.parentID == nil && root.name == nil && root.kind == .folder)
            }
        }
    }

    @Test(
        "A name that no item may have is shown by one that may be, and asked for by its own",
        arguments: [RealServer.Kind.apache, .nginx, .wsgidav])
    func strangeNames(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try server.write("abc", to: "data/two\u{1}lines.txt")
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names(count: 5) == ["two␁lines.txt"])
                #expect(try await fixture.provide("two␁lines.txt").contents == Array("abc".utf8))
            }
        }
    }

    @Test(
        "A name that is too long to be shown is shown by one that is not, and asked for by its own",
        arguments: [RealServer.Kind.apache, .wsgidav])
    func longNames(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            for ending in ["1.txt", "2.txt"] {
                try server.write(ending, to: "data/" + String(repeating: "\u{1}", count: 100) + ending)
            }
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let items = try await fixture.domain.items(in: .root, page: nil, suggestedCount: 10).items
                let names = items.compactMap { $0.name?.rawValue }
                #expect(Set(names).count == 2)
                for (item, name) in zip(items, names) {
                    #expect(name.hasPrefix("␁␁␁") && name.hasSuffix(".txt") && name.utf8.count <= 255, "\(name)")
                    let provided = try await fixture.provide(item.id.rawValue)
                    #expect([Array("1.txt".utf8), Array("2.txt".utf8)].contains(provided.contents))
                    #expect(try await fixture.domain.item(for: item.id) == item)
                }
            }
        }
    }

    @Test(
        "PROV-22: a name that is too long for the server's disk is not there, whatever it says of it",
        arguments: RealServer.Kind.allCases)
    func absenceOfLongNames(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try server.makeFolder("data/folder")
            try server.write("x", to: "data/document")
            let (long, longest) = (String(repeating: "n", count: 256), String(repeating: "ö", count: 2_000))
            try await DomainFixture.with(url: server.url) { fixture async throws in
                for id in [
                    long, longest, "folder/" + long, "gone/" + longest, "document/" + long, long + "/" + long,
                    long + "/x",
                ] {
                    let id = try ItemIdentifier(id)
                    let item = await failure { try await fixture.domain.item(for: id) }
                    #expect(item?.code == .noSuchItem, "\(String(describing: item))")
                    let listing = await failure { try await fixture.names(in: id) }
                    #expect(listing?.code == .noSuchItem, "\(String(describing: listing))")
                    let contents = await failure { try await fixture.provide(id.rawValue) }
                    #expect(contents?.code == .noSuchItem, "\(String(describing: contents))")
                }
            }
        }
    }

    @Test("PROV-8: contents come whole, in the version that is returned", arguments: RealServer.Kind.allCases)
    func contents(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            let large = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
            try server.write(large, to: "data/large %.bin")
            try server.write("", to: "data/empty")
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let provided = try await fixture.provide("large %.bin")
                #expect(provided.contents == large && provided.item.size == Int64(large.count))
                let again = try await fixture.domain.item(for: provided.item.id)
                #expect(again.version.content == provided.item.version.content)
                #expect(try await fixture.provide("large %.bin", version: again.version.content).contents == large)
                #expect(try await fixture.provide("empty").contents.isEmpty)
                let old = await failure { try await fixture.provide("empty", version: [1]) }
                #expect(old?.code == .versionNoLongerAvailable)
            }
        }
    }

    @Test("a change on the server is another version; RS-2", arguments: RealServer.Kind.allCases)
    func changes(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try server.write("one", to: "data/note")
            try server.setTime("data/note", 1_700_000_000)
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let first = try await fixture.provide("note")
                #expect(first.text == "one")
                // The same size, another second: what every server can tell.
                try server.write("two", to: "data/note")
                try server.setTime("data/note", 1_700_000_001)
                let second = try await fixture.provide("note")
                #expect(second.text == "two" && second.item.version.content != first.item.version.content)
            }
        }
    }

    @Test("PROV-22: what is not there, is a folder, or is a document, is said so", arguments: RealServer.Kind.allCases)
    func absences(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try server.makeFolder("data/folder")
            try server.write("x", to: "data/document")
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let domain = fixture.domain
                for id in ["gone", "gone/deeper", "folder/gone", "document/in", "document/in/deeper"] {
                    let item = await failure { try await domain.item(for: try ItemIdentifier(id)) }
                    #expect(item?.code == .noSuchItem)
                    let listing = await failure { try await fixture.names(in: try ItemIdentifier(id)) }
                    #expect(listing?.code == .noSuchItem)
                    let contents = await failure { try await fixture.provide(id) }
                    #expect(contents?.code == .noSuchItem)
                }
                let folder = await failure { try await fixture.provide("folder") }
                #expect(folder?.code == .invalidArgument)
                let document = await failure { try await fixture.names(in: try ItemIdentifier("document")) }
                #expect(document?.code == .invalidArgument, "\(String(describing: document))")
                #expect(try await fixture.names(in: try ItemIdentifier("folder")).isEmpty)
            }
            // The domain's own folder is gone: that says nothing about the items in it.
            try await DomainFixture.with(url: server.url + "not/there/") { fixture async throws in
                let error = await failure { try await fixture.domain.item(for: try ItemIdentifier("document")) }
                #expect(error?.code == .serverUnreachable, "\(String(describing: error))")
            }
        }
    }

    @Test("a folder deeper on the server is a domain, too", arguments: RealServer.Kind.allCases)
    func deeper(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try server.makeFolder("data/my files/ü")
            try server.write("x", to: "data/my files/ü/one.txt")
            for url in ["my%20files/%C3%BC", "my%20files/%c3%bc/"] {
                try await DomainFixture.with(url: server.url + url) { fixture async throws in
                    #expect(try await fixture.names() == ["one.txt"])
                    #expect(try await fixture.provide("one.txt").text == "x")
                }
            }
        }
    }

    @Test("sign-in: the right password opens, a wrong one is resolvable, and neither is in a message or the log")
    func signIn() async throws {
        try await RealServer.with(.lighttpd, .signIn) { server in
            try server.write("x", to: "data/one.txt")
            func open(_ credentials: WebDAVSettings.Credentials) async throws -> (DocumentError?, String) {
                try await DomainFixture.with(url: server.url) { settings, _ in
                    settings.credentials = credentials
                } body: { fixture async throws in
                    (await failure { try await fixture.provide("one.txt") }, fixture.log.text)
                }
            }
            let good = try await open(.basic(user: RealServer.user, password: RealServer.password))
            #expect(good.0 == nil)
            for credentials in [.none, .basic(user: RealServer.user, password: "wr0ng"), .bearer("wr0ng")]
                as [WebDAVSettings.Credentials]
            {
                let (error, log) = try await open(credentials)
                #expect(error?.code == .notAuthenticated)
                #expect(!"\(String(describing: error)) \(log)".contains("wr0ng"))
            }
        }
    }

    @Test("TLS: a server's own certificate is trusted when it is given, and not else")
    func encryption() async throws {
        try await RealServer.with(.lighttpd, .encrypted) { server in
            try server.write("x", to: "data/one.txt")
            let url = "https://127.0.0.1:\(server.port)/"
            let strange = try await DomainFixture.with(url: url) { fixture async throws in
                await failure { try await fixture.names() }
            }
            #expect(strange?.code == .serverUnreachable && strange?.message.contains("trusted") == true)
            try await DomainFixture.with(url: url) { settings, _ in
                settings.certificates = server.base.appending("own/certificate.pem")
            } body: { fixture async throws in
                #expect(try await fixture.provide("one.txt").text == "x")
            }
        }
    }

    @Test(
        "TLS: a certificate that is trusted, and for another computer, is not one of this server",
        arguments: ["127.0.0.1", "localhost"])
    func anothersCertificate(_ host: String) async throws {
        try await RealServer.with(.lighttpd, .encryptedForAnother) { server in
            try await DomainFixture.with(url: "https://\(host):\(server.port)/") { settings, _ in
                settings.certificates = server.base.appending("own/certificate.pem")
                settings.credentials = .basic(user: "ann", password: "s3cret")
            } body: { fixture async throws in
                let error = await failure { try await fixture.names() }
                #expect(error?.code == .serverUnreachable && error?.message.contains("is for another name") == true)
            }
        }
    }

    @Test("TLS: a certificate that is trusted, and has expired, is said to be none to trust any more")
    func expiredCertificate() async throws {
        try await RealServer.with(.lighttpd, .encryptedUntilYesterday) { server in
            try await DomainFixture.with(url: "https://127.0.0.1:\(server.port)/") { settings, _ in
                settings.certificates = server.base.appending("own/certificate.pem")
                settings.credentials = .basic(user: "ann", password: "s3cret")
            } body: { fixture async throws in
                let error = await failure { try await fixture.names() }
                #expect(error?.code == .serverUnreachable && error?.message.contains("is not trusted") == true)
                #expect(error?.causes.contains { $0.contains("expired") } == true, "\(error?.causes ?? [])")
            }
        }
    }

    @Test(
        "TLS: contents whose encrypted connection is cut without a word, or damaged, go on, and are what they are",
        arguments: ByteRelay.Fault.allCases)
    func faultyEncryption(_ fault: ByteRelay.Fault) async throws {
        try await RealServer.with(.lighttpd, .encrypted) { server in
            let contents = (0..<2_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
            try server.write(contents, to: "data/large")
            try Loopback.run("/usr/bin/touch", ["-d", "2026-01-01", server.base.appending("data/large").string])
            try await ByteRelay.with(to: server.port, fault, after: 700_000) { relay in
                try await DomainFixture.with(url: "https://127.0.0.1:\(relay.port)/") { settings, _ in
                    settings.certificates = server.base.appending("own/certificate.pem")
                } body: { fixture async throws in
                    let provided = try await fixture.provide("large")
                    #expect(provided.contents == contents)
                    #expect(relay.wasFaulty && relay.connections > 1)
                    let place = fixture.log.text.firstMatch(of: #/goes on at (\d+) bytes/#).flatMap { Int($0.1) }
                    #expect((1..<700_000).contains(place ?? 0), "\(fixture.log.text)")
                }
            }
        }
    }

    @Test("TLS: a server that speaks none, or ends it before it began, cannot be reached; nothing is told it in clear")
    func noEncryption() async throws {
        try await RealServer.with(.nginx) { server in
            try await DomainFixture.with(url: "https://127.0.0.1:\(server.port)/") { settings, _ in
                settings.credentials = .basic(user: "ann", password: "s3cret")
            } body: { fixture async throws in
                let error = await failure { try await fixture.names() }
                #expect(error?.code == .serverUnreachable && error?.code.errorClass == .resolvable)
            }
        }
        let (listener, port) = try Loopback.listen()
        defer { close(listener) }
        let taker = Thread {
            // Each greeting is answered by the end.
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var greeting = [UInt8](repeating: 0, count: 4096)
                let count = recv(connection, &greeting, greeting.count, 0)
                #expect(greeting.prefix(max(count, 0)).firstRange(of: Array("s3cret".utf8)) == nil)
                close(connection)
            }
        }
        taker.start()
        defer { shutdown(listener, Int32(SHUT_RDWR)) }
        try await DomainFixture.with(url: "https://127.0.0.1:\(port)/") { settings, _ in
            settings.credentials = .basic(user: "ann", password: "s3cret")
        } body: { fixture async throws in
            let error = await failure { try await fixture.names() }
            #expect(error?.code == .serverUnreachable)
        }
    }
}

extension RealServer {
    func makeFolder(_ path: String) throws {
        var folder = base
        for component in path.split(separator: "/") {
            folder.append(String(component))
            mkdir(folder.string, 0o777)
            chmod(folder.string, 0o777)
        }
    }

    func move(_ path: String, to other: String) throws {
        guard rename(base.appending(path).string, base.appending(other).string) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    /// What is in a folder, hidden things included.
    func names(in path: String) throws -> Set<String> {
        guard let listing = opendir(base.appending(path).string) else { throw Errno(rawValue: errno) }
        defer { closedir(listing) }
        var names: Set<String> = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.insert(name) }
        }
        return names
    }

    /// In seconds since 1970.
    func setTime(_ path: String, _ seconds: Int) throws {
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        try Loopback.call(utimensat(AT_FDCWD, base.appending(path).string, [time, time], 0))
    }
}
