import DocumentTestSupport
import Foundation
import Glibc
import SystemPackage

/// A WebDAV server of one of the kinds that people run, with one folder for several machines.
struct SharedServer {
    let port: Int
    private let work: String
    /// What it serves.
    var documents: String { work + "/data/dav" }

    /// Ended with the body.
    ///
    /// - Parameter documents: what is there at first, by name.
    static func with(
        _ kind: String, _ documents: [String: String], _ body: (SharedServer) throws -> Void
    ) throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        // nginx and lighttpd have to get in as nobody in particular.
        chmod(folder.string, 0o755)
        let script = try BuiltProducts.packageFolder().appending("Tests/Conformance/webdav-server").string
        for attempt in 0..<5 {
            let server = SharedServer(port: Int.random(in: 10_000..<32_000), work: "\(folder)/\(attempt)")
            guard try run(script, kind, "prepare", server.work, "\(server.port)") else { continue }
            try FileManager.default.removeItem(atPath: server.documents)
            try FileManager.default.createDirectory(atPath: server.documents, withIntermediateDirectories: true)
            chmod(server.documents, 0o777)
            for (name, text) in documents {
                let file = server.documents + "/" + name
                try Data(text.utf8).write(to: URL(fileURLWithPath: file))
                chmod(file, 0o666)
            }
            defer { _ = try? run(script, kind, "stop", server.work) }
            guard try run(script, kind, "start", server.work) else { continue }
            return try body(server)
        }
        throw Machine.Failure(description: "\(kind) did not come up at any of five ports")
    }

    private static func run(_ program: String, _ words: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// All that is there now, by name.
    func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: documents) {
            contents[name] = try? String(contentsOfFile: documents + "/" + name, encoding: .utf8)
        }
        return contents
    }
}
