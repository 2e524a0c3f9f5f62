import DocumentTestSupport
import Foundation
import Testing

/// Signing in and out beside a desktop's keyring, through the whole product.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KeyringTests {
    private static let password = "s3cret-of-ann"

    /// The files below the storage root that have the password.
    private func holders(_ machine: Machine) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: machine.root).filter { path in
            let contents = FileManager.default.contents(atPath: machine.root + "/" + path)
            return contents?.range(of: Data(Self.password.utf8)) != nil
        }
    }

    @Test("AUTH-5: with an unlocked keyring no file has the password; locked, the domain says so, and goes on unlocked")
    func keyring() async throws {
        try await Keyring.with { keyring in
            try keyring.start(password: "test")
            try Machine.with(environment: ["DBUS_SESSION_BUS_ADDRESS": keyring.address]) { machine in
                try machine.write("hello", to: machine.remote + "/a.txt")
                try WebDAVServer.with(machine, password: Self.password) { server in
                    try server.addDomain()
                    #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                    #expect(try holders(machine) == [])

                    try machine.succeed("host", "stop")
                    keyring.stop()
                    try keyring.start(password: nil)
                    let locked = try machine.docent("cat", "web:/a.txt")
                    #expect(locked.status == 1 && locked.errors.contains("locked. Unlock it"), "\(locked.errors)")
                    let list = try machine.succeed("domain", "list")
                    #expect(!list.contains("sign-in needed"), "nobody is asked for a password that is kept: \(list)")
                    let refused = try machine.docent("logout", "web")
                    #expect(refused.status == 1 && refused.errors.contains("locked"), "\(refused.errors)")

                    keyring.stop()
                    try keyring.start(password: "test")
                    let goesOn = try Machine.eventually(within: 120) {
                        try machine.docent("ls", "web:/").output.contains("a.txt")
                    }
                    #expect(goesOn, "\(machine.logTail)")
                    #expect(try holders(machine) == [])
                    #expect(try keyring.countOfOurs() == 1)
                    try machine.succeed("logout", "web")
                    #expect(try keyring.countOfOurs() == 0)
                }
            }
        }
    }
}
