import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Glibc
import SystemPackage
import Testing

/// The same provider in two languages: one test body for both.
enum Example: String, CaseIterable, CustomTestStringConvertible {
    case swift, python

    var testDescription: String { rawValue }

    func executable() throws -> FilePath {
        switch self {
        case .swift: return try BuiltProducts.executable("MemoryProvider")
        case .python:
            return try BuiltProducts.packageFolder().appending("Examples/memory-provider-python/memory-provider")
        }
    }

    static let environment = ["DOCENT_PROVIDER_COOKIE": "1", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]

    /// Starts it as a host does, for as long as the body runs.
    func start<Result>(
        environment: [String: String] = environment, body: (ChildProcess) async throws -> Result
    ) async throws -> Result {
        if self == .python { try await PythonRequirements.check() }
        return try await ChildProcess.with(try executable(), environment: environment, body: body)
    }

    /// What a host tells of a domain, with a folder for the provider's state for as long as the body runs.
    static func withDomain<Result>(
        settings: [String: String] = [:], _ body: (SessionSettings) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        guard mkdir(folder.appending("state").string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        return try await body(.test(settings: settings, folder: folder.string))
    }

    /// Starts it, says hello and runs the body; shuts it down after that, and sees that it ends by itself.
    func session(
        settings: [String: String] = [:], body: (ProviderTestHost, ChildProcess) async throws -> Void
    ) async throws {
        try await Self.withDomain(settings: settings) { domain async throws in
            try await start { child async throws in
                let loop = EventLoop(name: "host")
                defer { loop.shutdown() }
                let end = PipeEnd(reading: child.standardOutput, writing: child.standardInput, loop: loop)
                try await ProviderTestHost.with(end: end, loop: loop, settings: domain) { host async throws in
                    try await body(host, child)
                }
                #expect(try await child.exitStatus(within: .seconds(10)) == 0, "\(child.errorText())")
            }
        }
    }
}

/// What the Python example needs of the machine.
enum PythonRequirements {
    static func check() async throws {
        let needs: [(script: String, package: String)] = [
            ("exit 0", "python3"), ("exec /usr/bin/python3 -c 'import google.protobuf'", "python3-protobuf"),
            ("command -v protoc", "protobuf-compiler"),
        ]
        for (script, package) in needs {
            let test = package == "python3" ? "test -x /usr/bin/python3" : script
            let isThere = try await ChildProcess.with(
                "/bin/sh", arguments: ["-c", test], environment: ["PATH": "/usr/bin:/bin"]
            ) { try await $0.exitStatus(within: .seconds(20)) == 0 }
            try #require(
                isThere,
                "The Python example needs the Debian package \(package). Install it with: sudo apt-get install \(package)"
            )
        }
    }
}
