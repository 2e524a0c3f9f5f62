import DocumentModel
import SwiftProtobuf

extension ProviderDescription {
    /// Picker modes and capabilities that are not known are left out: the daemon may be newer.
    init(_ wire: WireServiceProvider) throws(DocumentError) {
        self.init(
            id: try ProviderIdentifier(wire.id),
            name: wire.name,
            version: wire.version,
            bundlePath: try Checks.absolutePath(wire.bundlePath, "A provider's bundle"),
            executable: try Checks.absolutePath(wire.executable, "A provider's executable"),
            protocolVersions: wire.protocolVersions,
            pickerModes: wire.pickerModes.compactMap(PickerMode.init),
            supportedTypes: try mapped(wire.supportedTypes, ContentType.init),
            capabilities: wire.capabilities.compactMap(ProviderCapability.init),
            settings: try mapped(wire.settings, SettingDescription.init),
            permissions: wire.permissions,
            gaps: wire.gaps,
            places: wire.places,
            domains: try mapped(wire.domains, DomainName.init)
        )
    }
}

extension WireServiceProvider {
    init(_ provider: ProviderDescription) {
        self.init()
        id = provider.id.rawValue
        name = provider.name
        version = provider.version
        bundlePath = provider.bundlePath
        executable = provider.executable
        protocolVersions = provider.protocolVersions
        pickerModes = provider.pickerModes.map(\.rawValue)
        supportedTypes = provider.supportedTypes.map(\.identifier)
        capabilities = provider.capabilities.map(\.rawValue)
        settings = provider.settings.map(WireServiceSetting.init)
        permissions = provider.permissions
        gaps = provider.gaps
        places = provider.places
        domains = provider.domains.map(\.rawValue)
    }
}

extension SettingDescription {
    fileprivate init(_ wire: WireServiceSetting) throws(DocumentError) {
        guard let type = SettingType(rawValue: wire.type) else {
            throw Checks.refusal("“\(ItemName.printable(wire.type))” is not a type of a setting.")
        }
        self.init(
            key: try Checks.text(wire.key, "A setting's key", limit: 128, required: true),
            type: type,
            required: wire.required,
            isSecret: wire.secret,
            signIn: wire.signIn.isEmpty ? nil : try Checks.text(wire.signIn, "A way to sign in", limit: 128),
            defaultValue: wire.defaultValue.isEmpty ? nil : wire.defaultValue,
            description: wire.description_p
        )
    }
}

extension WireServiceSetting {
    fileprivate init(_ setting: SettingDescription) {
        self.init()
        key = setting.key
        type = setting.type.rawValue
        required = setting.required
        secret = setting.isSecret
        signIn = setting.signIn ?? ""
        defaultValue = setting.defaultValue ?? ""
        description_p = setting.description
    }
}
