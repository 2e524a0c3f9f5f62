import DocumentTestSupport
import SystemPackage

/// A program that was run to its end, and what it said.
struct ToolRun {
    /// Nil when it did not end in time.
    var status: Int32?
    var output: String
    var errors: String

    static func of(_ program: String, _ arguments: [String], within limit: Duration = .seconds(60)) async throws -> Self
    {
        try await TemporaryFile.with(contents: "") { file in
            // Into a file, so that nothing has to drain it.
            let words = ["-c", "exec \"$@\" >\"$0\"", file.string, try BuiltProducts.executable(program).string]
            return try await ChildProcess.with(
                "/bin/sh", arguments: words + arguments, environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
            ) { child in
                try child.standardInput.close()
                let status = try await child.exitStatus(within: limit)
                return ToolRun(status: status, output: try TemporaryFile.read(file), errors: child.errorText())
            }
        }
    }
}
