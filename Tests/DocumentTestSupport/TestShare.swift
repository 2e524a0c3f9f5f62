internal import Glibc

/// Which arguments of a test that takes long are tried: all of them; or, where `DOCENT_TEST_SHARE` is `2/3`, the second of each
/// three. `scripts/test` tries another share at each commit, `scripts/judge` all.
package enum TestShare {
    private static let share: (number: Int, of: Int)? = {
        guard let text = getenv("DOCENT_TEST_SHARE").map({ String(cString: $0) }), !text.isEmpty else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count > 0, (1...count).contains(number)
        else { preconditionFailure("DOCENT_TEST_SHARE is “\(text)”, which is no share, as 2/3 is.") }
        return (number, count)
    }()

    /// Never none of them.
    package static func of<Argument>(_ all: some Sequence<Argument>) -> [Argument] {
        share.map { of(all, $0.number, of: $0.of) } ?? Array(all)
    }

    /// The share of that number, from 1 on.
    package static func of<Argument>(_ all: some Sequence<Argument>, _ number: Int, of count: Int) -> [Argument] {
        let all = Array(all)
        let chosen = all.indices.filter { $0 % count == number - 1 }.map { all[$0] }
        return chosen.isEmpty ? Array(all.prefix(1)) : chosen
    }
}
