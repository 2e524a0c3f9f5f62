import DocumentTestSupport
import Glibc
import SystemPackage

/// Radicale, which keeps calendars only, and is the one server among Debian's packages that tells of changes (RFC 6578).
struct CalendarServer: Sendable {
    let port: UInt16
    private let base: FilePath

    /// The address of a calendar in it.
    var url: String { "http://127.0.0.1:\(port)/ann/calendar/" }

    /// With a calendar that has nothing in it.
    static func with<Result>(body: (CalendarServer) async throws -> Result) async throws -> Result {
        let base = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(base) }
        // Somebody else may take the port between looking for it and using it.
        for _ in 0..<5 {
            let server = CalendarServer(port: try RealServer.freePort(), base: base)
            try TemporaryFile.write(server.configuration, to: base.appending("radicale.conf"))
            let command = "exec /usr/bin/python3 /usr/bin/radicale -C \(base)/radicale.conf 2>\(base)/log"
            let outcome = try await ChildProcess.with(
                "/bin/sh", arguments: ["-c", command], environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
            ) { child -> Result? in
                guard try await server.isUp(child) else { return nil }
                try server.ask("MKCOL", "/ann/calendar/", Self.newCalendar)
                return try await body(server)
            }
            if let outcome { return outcome }
        }
        throw RealServer.Failure(description: "Radicale did not come up at any of five ports.")
    }

    /// Another program makes or changes an event.
    func put(_ name: String, summary: String) throws {
        try ask("PUT", "/ann/calendar/\(name)", Self.event(name, summary))
    }

    /// Another program removes an event.
    func remove(_ name: String) throws { try ask("DELETE", "/ann/calendar/\(name)") }

    /// As after a year.
    func forgetTokens() throws {
        try Loopback.run(
            "/usr/bin/find",
            ["\(base)/data", "-path", "*/.Radicale.cache/sync-token/*", "-type", "f", "-delete"])
    }

    /// How many requests of a method for the calendar itself there were.
    func requests(_ method: String, depth: String) throws -> Int {
        let log = try TemporaryFile.read(base.appending("log"))
        return log.split(separator: "\n").count {
            $0.contains(" \(method) request for '/ann/calendar/' with depth '\(depth)'")
        }
    }

    /// As Radicale writes it, so that it keeps every byte.
    static func event(_ name: String, _ summary: String) -> String {
        [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//docent//test//EN", "BEGIN:VEVENT", "UID:\(name)",
            "DTSTART:20260101T100000Z", "DTSTAMP:20260101T000000Z", "SUMMARY:\(summary)", "END:VEVENT",
            "END:VCALENDAR", "",
        ].joined(separator: "\r\n")
    }

    private var configuration: String {
        """
        [server]
        hosts = 127.0.0.1:\(port)
        [auth]
        type = none
        [rights]
        type = authenticated
        [storage]
        filesystem_folder = \(base)/data
        [logging]
        level = info
        [web]
        type = none

        """
    }

    private static let newCalendar = """
        <?xml version="1.0"?><mkcol xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop>\
        <resourcetype><collection/><C:calendar/></resourcetype></prop></set></mkcol>
        """

    private static let client = """
        import http.client, sys
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30)
        connection.request(sys.argv[2], sys.argv[3], sys.argv[4].encode(), {"Authorization": "Basic YW5uOg=="})
        sys.exit(0 if connection.getresponse().status < 300 else 1)
        """

    private func ask(_ method: String, _ path: String, _ body: String = "") throws {
        try Loopback.run("/usr/bin/python3", ["-c", Self.client, "\(port)", method, path, body])
    }

    private func isUp(_ child: ChildProcess) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if try await child.exitStatus(within: .zero) != nil { return false }
            if let connection = try? Loopback.connect(to: port) {
                close(connection)
                return true
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RealServer.Failure(description: "Radicale does not take connections.")
    }
}
