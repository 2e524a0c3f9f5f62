package import DocumentModel

/// Deletions that wait for a yes, in words.
package enum HeldDeletionListing {
    package static func text(_ held: [HeldDeletions], of domain: DomainName) -> String {
        guard !held.isEmpty else { return "No deletions of \(domain) wait for an answer.\n" }
        return held.map { text($0, of: domain) }.joined()
    }

    static func text(_ held: HeldDeletions, of domain: DomainName) -> String {
        let count = Words.count(held.items, "item", "items")
        let here = held.materialised == 0 ? "none" : "\(held.materialised)"
        var text =
            switch held.direction {
            case .fromRemote:
                "\(domain): \(count) went from the remote at once (\(here) of them with contents here), and nothing is removed here before you say yes.\n"
            case .toRemote:
                "\(domain): \(count) are to be removed on the remote (\(here) of them with contents here), and nothing is removed before you say yes.\n"
            }
        let more = held.items > held.examples.count
        text += held.examples.map { "  \($0)\n" }.joined() + (more && !held.examples.isEmpty ? "  …\n" : "")
        switch held.direction {
        case .fromRemote:
            text += "  Let them go: docent domain deletions \(domain) --yes\n"
            text += "  Keep what is here, and send it again: docent domain deletions \(domain) --no\n"
        case .toRemote:
            text += "  Remove them: docent domain deletions \(domain) --yes\n"
            text += "  Keep them: docent domain deletions \(domain) --no\n"
        }
        return text
    }
}

extension HeldDeletions {
    package var json: JSON {
        .object([
            ("direction", .string(direction.rawValue)),
            ("items", JSON(items)),
            ("materialised", JSON(materialised)),
            ("examples", .array(examples.map { .string($0.description) })),
            ("since", .string(Words.instant(since))),
        ])
    }
}

extension DomainRules {
    package var json: JSON {
        .object([
            ("askFrom", JSON(deletionMinimum)),
            ("askFromPercent", deletionPercent > 100 ? .null : JSON(deletionPercent)),
            ("lookAgainSeconds", JSON(lookAgain.components.seconds)),
        ])
    }

    var askingText: String {
        deletionPercent > 100
            ? "never"
            : "from \(Words.count(deletionMinimum, "item", "items")) and \(deletionPercent) % of the domain on"
    }

    var lookAgainText: String {
        lookAgain == .zero ? "never" : "every \(lookAgain.components.seconds) s, at most"
    }
}
