package import DocumentModel
import Foundation
import Glibc

/// A bundle of the misbehaving provider, with deadlines so short that nobody waits long for a verdict.
package struct MisbehavingBundle: Sendable {
    let name: String
    let capabilities: Set<ProviderCapability>
    /// How many it may start.
    var processes = 0

    static let all: [MisbehavingBundle] = [
        MisbehavingBundle(name: "plain", capabilities: []),
        MisbehavingBundle(name: "changes", capabilities: [.changes]),
        MisbehavingBundle(name: "ranges", capabilities: [.ranges]),
        MisbehavingBundle(name: "modifying", capabilities: [.modifying]),
        MisbehavingBundle(name: "picker", capabilities: [.modifying, .picker]),
        MisbehavingBundle(name: "sign-in", capabilities: [.signIn]),
        MisbehavingBundle(name: "thumbnails", capabilities: [.thumbnails]),
        MisbehavingBundle(name: "versions", capabilities: [.modifying, .versions]),
        MisbehavingBundle(name: "versions-and-changes", capabilities: [.modifying, .versions, .changes]),
        MisbehavingBundle(name: "quota", capabilities: [.quota]),
        MisbehavingBundle(name: "children", capabilities: [], processes: 128),
    ]

    package static func bundle(
        with capabilities: Set<ProviderCapability>, startingProcesses: Bool = false
    ) throws -> MisbehavingBundle {
        guard
            let bundle = all.first(where: {
                $0.capabilities == capabilities && ($0.processes > 0) == startingProcesses
            })
        else {
            throw KitError("There is no bundle with the capabilities \(capabilities.map(\.rawValue)).")
        }
        return bundle
    }

    package var identifier: String { "org.docent.misbehaving.\(name)" }

    private var manifest: String {
        let names = capabilities.sorted().map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let deadlines = [CallClass.start, .metadata, .mutation, .contents].map {
            "\($0.rawValue) = \($0.limit.components.seconds)"
        }.joined(separator: "\n")
        return """
            identifier = "\(identifier)"
            name = "Misbehaving \(name)"
            version = "1.0"
            executable = "misbehaving-peer"
            arguments = ["provider"]
            protocol-versions = [1]
            modes = ["import", "open", "export", "move"]
            types = ["public.content"]
            capabilities = [\(names)]

            [deadlines]
            \(deadlines)

            [limits]
            processes = \(processes)

            [[settings]]
            key = "behaviour"
            type = "string"
            required = true
            description = "What it does wrong"

            [[settings]]
            key = "traffic"
            type = "path"
            description = "A folder in which it notes what goes through its pipes"

            [permissions]
            write = ["{traffic}"]

            """
    }

    package func write(to folder: String, program: String) throws {
        mkdir(folder, 0o700)
        do {
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: folder + "/provider.toml"))
            // A hard link where that is possible.
            if link(program, folder + "/misbehaving-peer") != 0 {
                try FileManager.default.copyItem(atPath: program, toPath: folder + "/misbehaving-peer")
            }
        } catch {
            throw KitError("The bundle “\(folder)” cannot be made: \(error.localizedDescription)")
        }
    }
}
