import Foundation
import Glibc
import Testing

/// Where a secret could be left that nobody thinks of.
extension SignInTests {
    private static let secret = "l3aky-s3cret-of-ann"

    @Test("Traffic that is recorded has no secret in it, as it is or as it is sent")
    func recording() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.secret) { server in
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                let folder = try String(machine.succeed("provider", "record", "org.docent.webdav", "on").dropLast())
                #expect(try machine.succeed("ls", "web:/", "--refresh").contains("a.txt"))
                let wrong = try machine.docent(
                    "login", "web", "--set", "user=ann", "--set", "password=-", input: "wr0ng-guess-l3aky\n")
                #expect(wrong.status == 1)
                let right = try machine.docent(
                    "login", "web", "--set", "user=ann", "--set", "password=-", input: Self.secret + "\n")
                #expect(right.status == 0, "\(right.errors)")
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                try machine.succeed("host", "stop")
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                let texts = names.compactMap { machine.read(folder + "/" + $0) }
                #expect(texts.contains { $0.hasPrefix("docent-traffic 1\nprovider org.docent.webdav\n") }, "\(names)")
                let name = Data(Self.hexadecimal("a.txt".utf8).utf8)
                #expect(texts.contains { Data($0.utf8).range(of: name) != nil }, "what is no secret is there")
                try expectNowhereButInTheStore(Self.secret, machine, isKept: true)
                try expectNowhereButInTheStore("wr0ng-guess-l3aky", machine, isKept: false)
            }
        }
    }

    @Test("A crash of provider and host leaves no core, and nothing else with a secret in it, where either has worked")
    func crash() throws {
        // As on a machine where cores are wanted.
        var before = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &before) == 0)
        var wanted = rlimit(rlim_cur: before.rlim_max, rlim_max: before.rlim_max)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &wanted) == 0)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &before) }
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.secret) { server in
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                var places = [machine.folder]
                for program in ["WebDAVProvider", "docentd"] {
                    let process = try #require(machine.processes(named: program).first)
                    places.append(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd"))
                    kill(process, SIGABRT)
                    #expect(
                        Machine.eventually { !machine.processes(named: program).contains(process) },
                        "\(program) ends at once, and nothing of it is printed first")
                }
                for place in Set(places) {
                    let isOwn = place.hasPrefix(machine.folder)
                    let names =
                        isOwn
                        ? try FileManager.default.subpathsOfDirectory(atPath: place)
                        : (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
                    let cores = names.filter { name in
                        let file = (name as NSString).lastPathComponent
                        guard file == "core" || file.hasPrefix("core.") else { return false }
                        let contents = FileManager.default.contents(atPath: place + "/" + name) ?? Data()
                        return isOwn || Self.forms(of: Self.secret).contains { contents.range(of: $0) != nil }
                    }
                    #expect(cores.isEmpty, "\(place): \(cores)")
                }
                try expectNowhereButInTheStore(Self.secret, machine, isKept: true)
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello", "and it goes on")
            }
        }
    }
}
