import DocumentModel
import ProviderLauncher

/// A bundle's manifest: it is refused with a sentence, or good for everything that is asked of one.
enum ManifestTarget: FuzzTarget {
    static let name = "manifest"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let manifest: Manifest
        do throws(DocumentError) {
            manifest = try Manifest(text: String(decoding: input, as: UTF8.self), file: "provider.toml")
        } catch {
            try require(error.code == .notConfigured, "It was refused with \(error.code): \(error)")
            return
        }
        try require(!manifest.permissionSentences.isEmpty, "Nothing is said about its permissions.")
        for mode in PickerMode.allCases {
            _ = manifest.isOffered(for: mode, types: manifest.types)
        }
        let values: [Manifest.SettingType: String] = [.string: "a", .integer: "7", .boolean: "true", .path: "/a"]
        var given: [String: String] = [:]
        for setting in manifest.settings { given[setting.key] = values[setting.type] }
        do throws(DocumentError) {
            let settings = try manifest.validate(settings: given)
            let permissions = manifest.permissions.resolved(settings: settings)
            for path in permissions.read + permissions.write {
                try Self.check(path)
            }
        } catch {
            throw FuzzFinding("Settings of the right types were refused: \(error)")
        }
    }

    private static func check(_ path: String) throws(DocumentError) {
        guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
            throw DocumentError(.internal, "“\(path)” is permitted, and is no absolute path.")
        }
    }
}
