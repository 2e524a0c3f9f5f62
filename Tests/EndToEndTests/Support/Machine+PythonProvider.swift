import Foundation
import Testing

extension Machine {
    /// Puts a provider in Python beside the machine's other bundles: the folder of its name here, and what it needs of
    /// `Examples/memory-provider-python`.
    func installPythonProvider(
        _ name: String, with files: [String] = ["docent_provider.py", "generate", "memory-provider"]
    ) throws {
        let support = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let sources = support.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
        let bundle = folder + "/bin/providers/" + name
        let manager = FileManager.default
        try manager.copyItem(atPath: support.path + "/" + name, toPath: bundle)
        for file in files {
            try manager.copyItem(
                atPath: sources + "/Examples/memory-provider-python/" + file, toPath: bundle + "/" + file)
        }
        let made = try run(bundle + "/generate", [sources + "/Sources/DocumentWire/Protos"])
        try #require(made.status == 0, "\(made.errors)")
    }
}
