package import DocumentWire

extension FrameRedaction {
    /// For what a provider says outside of its answers. Settings are marked as secret in the contract. Figures, and paths,
    /// which errors have to name, are not blanked out in texts; nor are words that are too short to mean anything, unless
    /// the manifest says that they are secret.
    package init(settings: [String: String], of manifest: Manifest, besides others: [String] = []) {
        self.init(settings: [settings], of: manifest, besides: others)
    }

    /// - Parameters:
    ///   - settings: those of now, and those that were in force before.
    ///   - others: what else is secret.
    package init(settings: [[String: String]], of manifest: Manifest, besides others: [String] = []) {
        let texts = manifest.settings.filter { $0.type == .string }
        let secrets = settings.flatMap { settings in
            texts.compactMap { setting in
                settings[setting.key].flatMap {
                    setting.isSecret || $0.utf8.count >= Self.shortestWord ? $0 : nil
                }
            }
        }
        self.init(secrets: secrets + others)
    }

    /// For a recording of the traffic, which need not name anything: no setting of any kind is in it.
    package init(recording settings: [String: String], of manifest: Manifest) {
        let secrets = Set(manifest.settings.filter(\.isSecret).map(\.key))
        self.init(
            secrets: settings.filter { secrets.contains($0.key) || $0.value.utf8.count >= Self.shortestWord }
                .map(\.value))
    }

    /// What is shorter appears in texts by chance.
    private static let shortestWord = 4
}
