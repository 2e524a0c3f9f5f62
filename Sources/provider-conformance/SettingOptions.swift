import ArgumentParser
import ProviderConformance

/// What the domain is told, as in “docent domain add … --set”.
struct SettingOptions: ParsableArguments {
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "A setting of the provider; goes before the configuration's own. May be repeated.", valueName: "NAME=VALUE")
    )
    var settings: [SettingOption] = []

    func apply(to configuration: inout ConformanceConfiguration) {
        for setting in settings { configuration.settings[setting.name] = setting.value }
    }
}

/// `NAME=VALUE`. A value of `@FILE` is the file's text, for what is nobody's to see.
struct SettingOption: ExpressibleByArgument {
    let name: String
    let value: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        name = String(parts[0])
        guard parts[1].hasPrefix("@") else {
            value = String(parts[1])
            return
        }
        guard let text = SettingFile.text(of: String(parts[1].dropFirst())) else { return nil }
        value = text
    }
}
