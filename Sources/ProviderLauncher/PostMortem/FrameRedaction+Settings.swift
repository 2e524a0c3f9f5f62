package import DocumentWire

extension FrameRedaction {
    /// For what a provider says outside of its answers. Settings are marked as secret in the contract. Figures, and paths,
    /// which errors have to name, are not blanked out in texts.
    package init(settings: [String: String], of manifest: Manifest) {
        let secrets = manifest.settings.filter { $0.type == .string }.compactMap { settings[$0.key] }
        self.init(secrets: secrets.filter { $0.utf8.count >= 4 })
    }
}
