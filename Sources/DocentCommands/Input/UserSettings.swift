import Glibc

/// Where users keep what they have chosen.
enum UserSettings {
    /// The path of a file in the folder `docent` of the user's settings; nil where there is no home.
    static func file(_ name: String) -> String? {
        if let folder = getenv("XDG_CONFIG_HOME").map({ String(cString: $0) }), folder.hasPrefix("/") {
            return "\(folder)/docent/\(name)"
        }
        return getenv("HOME").map { "\(String(cString: $0))/.config/docent/\(name)" }
    }
}
