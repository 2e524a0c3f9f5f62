import DocumentTestSupport
import Foundation
import Synchronization
import Testing

extension SignInTests {
    private static let wrongToken = "wr0ng-t0ken-4711"

    /// A server that takes tokens, with a real one behind it.
    private func withTokens(
        _ machine: Machine, _ body: (FaultServer, _ accept: (String) -> Void) throws -> Void
    ) throws {
        try WebDAVServer.with(machine, password: "of-nobody") { real in
            let accepted = Mutex("")
            let inside = "Basic " + Data("ann:of-nobody".utf8).base64EncodedString()
            try FaultServer.withServer(upstream: UInt16(real.port)) { request, _ in
                guard request.headers["authorization"] == accepted.withLock({ "Bearer \($0)" }) else {
                    return [.bytes(FaultServer.answer("401 Unauthorized", ["WWW-Authenticate: Bearer realm=\"here\""]))]
                }
                var known = request
                known.set("Authorization", to: inside)
                return [.handOn(known)]
            } body: { front in
                try body(front) { token in accepted.withLock { $0 = token } }
            }
        }
    }

    @Test(
        "AUTH-1, PROV-22: a token signs in as a password does: a wrong one is told, a revoked one stops what is sent, and nobody else reads it"
    )
    func tokens() throws {
        try Machine.with { machine in
            try machine.write("one", to: machine.remote + "/a.txt")
            try withTokens(machine) { front, accept in
                let (first, second) = ("first-t0ken-of-ann", "second-t0ken-of-ann")
                accept(first)
                let added = try machine.docent(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=\(front.url)")
                #expect(added.status == 0 && added.errors.contains("docent login web"), "\(added.errors)")
                #expect(try isSignInNeeded(machine))
                let typed = try machine.docent("login", "web", "--with", "token", "--set", "token=\(first)")
                #expect(typed.status == 64, "a token is not for the command line: \(typed.errors)")

                let wrong = try machine.docent(
                    "login", "web", "--with", "token", "--set", "token=-", input: Self.wrongToken + "\n")
                #expect(wrong.status == 1 && wrong.errors.contains("does not accept the sign-in"), "\(wrong.errors)")
                #expect(try isSignInNeeded(machine))
                try expectNowhereButInTheStore(Self.wrongToken, machine, isKept: false)

                let right = try machine.docent(
                    "login", "web", "--with", "token", "--set", "token=-", input: first + "\n")
                #expect(right.status == 0 && right.errors.contains("signed in to web"), "\(right.errors)")
                #expect(try !isSignInNeeded(machine))
                #expect(try machine.succeed("cat", "web:/a.txt") == "one")
                // The next host knows it, too.
                try machine.succeed("host", "stop")
                try machine.believe(.lighttpd, of: front.url)
                #expect(try machine.succeed("ls", "web:/").contains("a.txt"))
                try expectNowhereButInTheStore(first, machine, isKept: true)
                #expect(
                    Set(front.requests.compactMap { $0.headers["authorization"] }).count == 2, "Bearer, and no Basic")
                accept(second)
                // As any program does.
                try machine.write("two", to: machine.root + "/documents/web/a.txt")
                #expect(try Machine.eventually(within: 30) { try isSignInNeeded(machine) }, "\(machine.logTail)")
                let asked = front.requests.count
                usleep(3_000_000)
                #expect(front.requests.count == asked, "nothing knocks again until somebody signs in")
                #expect(machine.read(machine.remote + "/a.txt") == "one")
                let again = try machine.docent(
                    "login", "web", "--with", "token", "--set", "token=-", input: second + "\n")
                #expect(again.status == 0, "\(again.errors)")
                #expect(
                    Machine.eventually(within: 60) { machine.read(machine.remote + "/a.txt") == "two" },
                    "what waited is sent by itself: \(machine.logTail)")
                try expectNowhereButInTheStore(second, machine, isKept: true)
                try expectNowhereButInTheStore(first, machine, isKept: false)
                // The answer to what is there already may not have been written down yet.
                #expect(try Machine.eventually(within: 30) { try machine.state("web:/a.txt") == "materialised" })
                try machine.succeed("logout", "web")
                try expectNowhereButInTheStore(second, machine, isKept: false)
            }
        }
    }
}
