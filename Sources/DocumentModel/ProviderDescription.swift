/// An installed provider, as its manifest describes it.
public struct ProviderDescription: Hashable, Sendable {
    public var id: ProviderIdentifier
    /// Its name for people.
    public var name: String
    public var version: String
    public var bundlePath: String
    public var executable: String
    public var protocolVersions: [UInt32]
    public var pickerModes: [PickerMode]
    public var supportedTypes: [ContentType]
    public var capabilities: [ProviderCapability]
    public var settings: [SettingDescription]
    /// What it may do beside its own folders, in words for people.
    public var permissions: [String]
    /// What it may not do and the running kernel cannot refuse, in words for people.
    public var gaps: [String]
    /// The places on this machine that it may reach in each of its domains, beside those that settings name.
    public var places: [String]
    /// The domains that are configured for it.
    public var domains: [DomainName]

    public init(
        id: ProviderIdentifier,
        name: String,
        version: String = "",
        bundlePath: String,
        executable: String,
        protocolVersions: [UInt32] = [1],
        pickerModes: [PickerMode] = [],
        supportedTypes: [ContentType] = [],
        capabilities: [ProviderCapability] = [],
        settings: [SettingDescription] = [],
        permissions: [String] = [],
        gaps: [String] = [],
        places: [String] = [],
        domains: [DomainName] = []
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.bundlePath = bundlePath
        self.executable = executable
        self.protocolVersions = protocolVersions
        self.pickerModes = pickerModes
        self.supportedTypes = supportedTypes
        self.capabilities = capabilities
        self.settings = settings
        self.permissions = permissions
        self.gaps = gaps
        self.places = places
        self.domains = domains
    }
}

/// A setting that a provider's manifest declares.
public struct SettingDescription: Hashable, Sendable {
    public var key: String
    public var type: SettingType
    public var required: Bool
    /// Whether its value is never shown, and not typed into a command line, where others see it.
    public var isSecret: Bool
    /// The way to sign in that it is a part of; nil for what is set up once. What is secret is always a part of signing in.
    public var signIn: String?
    /// Nil when it has none; an empty one counts as none.
    public var defaultValue: String?
    public var description: String

    public init(
        key: String, type: SettingType, required: Bool = false, isSecret: Bool = false, signIn: String? = nil,
        defaultValue: String? = nil, description: String = ""
    ) {
        self.key = key
        self.type = type
        self.required = required
        self.isSecret = isSecret
        self.signIn = signIn
        self.defaultValue = defaultValue
        self.description = description
    }

    /// Whether it is asked for when somebody signs in, and forgotten when they sign out.
    public var isForSignIn: Bool { isSecret || signIn != nil }
}

/// What a setting's value may be.
public enum SettingType: String, Sendable, CaseIterable {
    case string
    case integer
    case boolean
    /// An absolute path.
    case path
}
