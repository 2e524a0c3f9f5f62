import ArgumentParser
import DocumentModel

/// What is asked of somebody who signs in: the settings of one way to sign in.
struct SignInForm {
    /// Nil where there is but one, without a name.
    let way: String?
    /// The others, for people; nil when there are none.
    let otherWays: String?
    private let settings: [SettingDescription]

    /// - Parameters:
    ///   - way: what was chosen; nil for the one that was used before, as far as can be seen, or the first.
    ///   - known: the domain's settings that are no secrets.
    init(_ all: [SettingDescription], way: String?, known: [String: String]) throws {
        let settings = all.filter(\.isForSignIn)
        var ways: [String] = []
        for setting in settings { if let way = setting.signIn, !ways.contains(way) { ways.append(way) } }
        if let way, !ways.contains(way) {
            throw ValidationError(
                ways.isEmpty
                    ? "There is but one way to sign in: leave --with out."
                    : "“\(way)” is no way to sign in here: there is \(ways.joined(separator: ", ")).")
        }
        let used = settings.first { known[$0.key]?.isEmpty == false }?.signIn
        let chosen = way ?? used ?? ways.first
        self.way = chosen
        otherWays = ways.count > 1 ? ways.filter { $0 != chosen }.joined(separator: ", ") : nil
        self.settings = settings.filter { $0.signIn == nil || $0.signIn == chosen }
    }

    /// Nothing more is asked of somebody who has given a secret already.
    func questions(given: [String: String]) -> [SettingDescription] {
        guard !settings.contains(where: { $0.isSecret && given[$0.key] != nil }) else { return [] }
        // A secret of another way.
        guard given.keys.allSatisfy({ key in settings.contains { $0.key == key } }) else { return [] }
        return settings.filter { given[$0.key] == nil }
    }
}
