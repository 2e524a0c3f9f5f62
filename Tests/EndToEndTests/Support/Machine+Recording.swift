import Foundation
import Testing

extension Machine {
    /// A provider that writes down what it is asked, and of the same kind a drop box, and one without a file half.
    func installRecordingProvider() throws {
        let support = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let sources = support.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
        let manager = FileManager.default
        let bundles = [
            ("RecordingProvider", "provider.toml"), ("DropBox", "drop-box.toml"), ("Clippings", "no-file-half.toml"),
        ]
        for (bundle, manifest) in bundles {
            let folder = self.folder + "/bin/providers/" + bundle
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let from = support.path + "/RecordingProvider/"
            try manager.copyItem(atPath: from + manifest, toPath: folder + "/provider.toml")
            try manager.copyItem(atPath: from + "recording-provider", toPath: folder + "/recording-provider")
            let example = sources + "/Examples/memory-provider-python/"
            try manager.copyItem(atPath: example + "memory-provider", toPath: folder + "/memory_provider.py")
            for name in ["docent_provider.py", "generate"] {
                try manager.copyItem(atPath: example + name, toPath: folder + "/" + name)
            }
            let made = try run(folder + "/generate", [sources + "/Sources/DocumentWire/Protos"])
            try #require(made.status == 0, "\(made.errors)")
        }
    }

    /// What a recording domain was asked, one call a line.
    func calls(of domain: String) -> [String] {
        (read(root + "/.docent/providers/\(domain)/calls") ?? "").split(separator: "\n").map(String.init)
    }
}
