import ArgumentParser
import DocumentClient
import DocumentModel

struct SpaceCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "space",
        abstract: "Show how much room contents take here, and say how much they may.",
        discussion: """
            When it is more than the limit, documents that were not used for longest are evicted, until what is here is \
            at most what --down-to says (nine tenths of the limit, when it is left out). Never those that are changed, in \
            use, pinned or excluded, and only what the remote is seen to have.

            Examples:
              docent space
              docent space --limit 20GB --down-to 15GB
              docent space --unlimited
            """
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most that is kept here: 500MB, 20GB, or bytes.", valueName: "size"),
        transform: SpaceCommand.size)
    var limit: UInt64?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("What stays when something leaves.", valueName: "size"),
        transform: SpaceCommand.size)
    var downTo: UInt64?

    @Flag(help: "Nothing leaves by itself any more.")
    var unlimited = false

    @OptionGroup var listing: ListingOptions

    func validate() throws {
        if unlimited, limit != nil || downTo != nil {
            throw ValidationError("With --unlimited there is no size.")
        }
        if downTo != nil, limit == nil { throw ValidationError("--down-to goes with --limit.") }
        if let limit, limit == 0 { throw ValidationError("The limit must be more than nothing.") }
        if let limit, let downTo, downTo > limit { throw ValidationError("--down-to must not be above --limit.") }
    }

    func run(_ client: DocumentClient) async throws {
        let status: SpaceStatus
        if let limit {
            status = try await client.setSpaceLimits(SpaceLimits(high: limit, low: downTo ?? limit / 10 * 9))
        } else if unlimited {
            status = try await client.setSpaceLimits(nil)
        } else {
            status = try await client.spaceStatus()
        }
        try listing.show(status.json, Self.text(status))
    }

    static func text(_ status: SpaceStatus) -> String {
        let here = "\(Words.count(status.documents, "document", "documents")), \(Words.size(status.bytes))"
        guard let limits = status.limits else { return "Here: \(here). There is no limit.\n" }
        return
            "Here: \(here). Above \(Words.size(limits.high)), what was used longest ago leaves, down to \(Words.size(limits.low)).\n"
    }

    /// `20GB`, `1.5 MB`, `4096`: powers of 1000.
    static func size(_ text: String) throws -> UInt64 {
        let units: [(String, Double)] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1)]
        let upper = text.uppercased()
        let unit = units.first { upper.hasSuffix($0.0) }
        let digits = upper.dropLast(unit?.0.count ?? 0).filter { $0 != " " }
        guard let number = Double(digits), number.isFinite, number >= 0, number * (unit?.1 ?? 1) < 1e18 else {
            throw ValidationError(
                "“\(ItemName.printable(text))” is no size: write 0 or more, for example 500MB or 20GB.")
        }
        return UInt64(number * (unit?.1 ?? 1))
    }
}

extension SpaceStatus {
    package var json: JSON {
        .object([
            ("documents", JSON(documents)), ("bytes", JSON(bytes)), ("limit", JSON(limits?.high)),
            ("downTo", JSON(limits?.low)),
        ])
    }
}
