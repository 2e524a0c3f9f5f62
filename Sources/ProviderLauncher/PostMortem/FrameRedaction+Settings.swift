package import DocumentWire

extension FrameRedaction {
    /// For what a provider says outside of its answers. Settings are marked as secret in the contract. Figures, and paths,
    /// which errors have to name, are not blanked out in texts.
    package init(settings: [String: String], of manifest: Manifest) {
        self.init(settings: [settings], of: manifest)
    }

    /// - Parameter settings: those of now, and those that were in force before.
    package init(settings: [[String: String]], of manifest: Manifest) {
        let kinds = manifest.settings.filter { $0.type == .string }
        let secrets = settings.flatMap { settings in kinds.compactMap { settings[$0.key] } }
        self.init(secrets: secrets.filter { $0.utf8.count >= 4 })
    }
}
