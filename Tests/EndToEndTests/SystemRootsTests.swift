import Foundation
import Glibc
import Testing

/// TLS with the certificates that the system trusts, by a provider in its sandbox.
@Suite(.serialized) struct SystemRootsTests {
    private static let roots = "/etc/ssl/certs/ca-certificates.crt"
    private static let password = "s3cret-of-ann"

    /// An authority of its own, and a certificate by it for this machine's loopback address.
    private func makeCertificates(_ machine: Machine) throws {
        let script = """
            set -e
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj "/CN=An authority" \
            -addext basicConstraints=critical,CA:TRUE
            openssl req -newkey rsa:2048 -nodes -keyout own.key -out own.csr -subj "/CN=127.0.0.1"
            printf 'subjectAltName=IP:127.0.0.1\\n' > own.ext
            openssl x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out own.crt -days 2 -extfile own.ext
            cat own.key own.crt > own.pem
            cat \(Self.roots) ca.pem > roots.pem
            """
        let result = try machine.run("/bin/sh", ["-c", script])
        guard result.status == 0 else { throw Machine.Failure(description: result.errors) }
    }

    /// Starts the host where the system trusts what the file says.
    private func startHost(_ machine: Machine, trusting roots: String?) throws {
        let script = roots.map { "mount --bind \($0) \(Self.roots) && " } ?? ""
        let who = getuid() == 0 ? [] : ["--map-root-user"]
        let result = try machine.run(
            "/usr/bin/unshare", who + ["--mount", "sh", "-c", script + "exec \(machine.folder)/bin/docent domain list"])
        guard result.status == 0 else { throw Machine.Failure(description: result.errors) }
    }

    @Test("TLS: a server is trusted whose certificate the system trusts, from within the sandbox, and no other one")
    func systemRoots() throws {
        try Machine.with { machine in
            try makeCertificates(machine)
            try machine.write("hello\n", to: machine.remote + "/a.txt")
            let settings = """
                server.modules += ( "mod_openssl" )
                ssl.engine = "enable"
                ssl.pemfile = "\(machine.folder)/work/own.pem"
                """
            try WebDAVServer.with(machine, password: Self.password, settings: settings, scheme: "https") { server in
                try startHost(machine, trusting: nil)
                let strange = try server.addDomain(password: Self.password)
                #expect(strange.status != 0)
                #expect(strange.errors.contains("trusted"), "\(strange.errors)")
                try machine.succeed("host", "stop")

                try startHost(machine, trusting: machine.folder + "/work/roots.pem")
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello\n")
                try machine.write("changed\n", to: machine.folder + "/new.txt")
                try machine.succeed("export", machine.folder + "/new.txt", "web:/b.txt")
                #expect(Machine.eventually { machine.read(machine.remote + "/b.txt") == "changed\n" })
                // It is in its sandbox, which lets it connect to the server's port and read who is trusted.
                #expect(try machine.succeed("provider", "show", "org.docent.webdav").contains("connect"))
            }
        }
    }
}
