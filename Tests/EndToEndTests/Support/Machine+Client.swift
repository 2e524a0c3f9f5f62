import DocumentClient
import Foundation

extension Machine {
    /// Where its host is.
    var address: HostAddress {
        get throws {
            let folder = self.folder + "/run/docent"
            let sockets = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            guard let socket = sockets.first(where: { $0.hasSuffix(".sock") }) else {
                throw Failure(description: "no host of \(folder)\nlog:\n\(logTail)")
            }
            return try HostAddress(root: root, socket: folder + "/" + socket)
        }
    }

    /// This process as a host tool of the machine's host, which must run.
    func client<Value>(_ body: (DocumentClient) async throws -> Value) async throws -> Value {
        try await withDocumentClient(tool: "tests", address: try address, start: .never, body)
    }

    /// Runs an asynchronous body on a machine of its own.
    static func with<Value>(
        environment: [String: String] = [:], _ body: (Machine) async throws -> Value
    ) async throws -> Value {
        let machine = try Machine(environment: environment)
        defer { machine.tearDown() }
        return try await body(machine)
    }
}
