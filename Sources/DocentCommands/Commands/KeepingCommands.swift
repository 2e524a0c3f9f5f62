import ArgumentParser
import DocumentClient
import DocumentModel

/// The items that something is said about.
struct KeptItems: ParsableArguments {
    @Argument(
        help: "The documents or folders, as domain:/path; domain:/ is all of a domain.",
        completion: Completions.locations, transform: Arguments.location)
    var locations: [Location]
}

extension DocumentClient {
    /// What was changed in what is excluded would be sent from then on, which is for people to say by itself. What is not known
    /// yet, nobody has said anything about.
    ///
    /// - Returns: what is said about it.
    @discardableResult
    fileprivate func requireNotExcluded(_ location: Location) async throws(DocumentError) -> ItemMarks {
        let marks = (try? await knownItem(at: location))?.marks ?? ItemMarks()
        guard marks.own == .excluded else { return marks }
        throw DocumentError(
            .invalidArgument,
            "\(location) is excluded from sync, and what was changed in it would be sent: docent include \(location) ends that; then say it again."
        )
    }
}

struct PauseCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Let transfers wait until they are resumed, also over restarts.",
        discussion: """
            What is under way ends at once, and goes on later. Whoever opens what is not here waits until it is resumed.

            Examples:
              docent pause work:/              everything of a domain
              docent pause work:/Videos
            """
    )

    @OptionGroup var items: KeptItems

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(items.locations) { try await client.pauseTransfers(at: $0) }
    }
}

struct ResumeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let transfers go on that were paused.",
        discussion: """
            What was changed here meanwhile is sent; of what was changed on the remote, too, both contents are kept. For \
            documents, you can say otherwise; docent versions --fetch shows beforehand what the remote has. When that \
            cannot be done, they stay paused.

            Examples:
              docent resume work:/
              docent resume work:/notes.txt --fail-on-conflict
            """
    )

    @OptionGroup var items: KeptItems

    @Flag(exclusivity: .exclusive)
    var behavior = Behavior.keepBoth

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(items.locations) { location in
            guard let behavior = behavior.chosen else { return try await client.resumeTransfers(at: location) }
            try await client.resumeTransfers(at: location, behavior)
        }
    }

    enum Behavior: String, EnumerableFlag {
        case keepBoth, keepLocal, failOnConflict, dropLocal

        static func help(for value: Behavior) -> ArgumentHelp? {
            switch value {
            case .keepBoth: "Send what was changed here; where the remote was changed, too, keep both."
            case .keepLocal: "Send what is here over what the remote has, which is kept as a version."
            case .failOnConflict: "Send what is here if the remote still has what it began from; else send nothing."
            case .dropLocal: "Put what the remote has in the place of what is here, which is kept as a version."
            }
        }

        /// Nil: what holds for folders, too.
        var chosen: ResumeBehavior? {
            self == .keepBoth ? nil : ResumeBehavior(rawValue: rawValue)
        }
    }
}

struct PinCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep documents, or everything in folders, here: downloaded, current, and never evicted.",
        discussion: """
            They come in the background, and so does what appears in a pinned folder later; docent status shows how far it
            is. docent keep says it otherwise for what is in there.

            Example: docent pin work:/Reports
            """
    )

    @OptionGroup var items: KeptItems

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(items.locations) { location in
            let marks = try await client.requireNotExcluded(location)
            guard marks.keeping != .excluded || marks.ignoredBy != nil else {
                throw DocumentError(
                    .invalidArgument,
                    "\(location) is in a folder that is excluded from sync: include that, or docent keep \(location) --as pinned has it alone sent and kept here."
                )
            }
            try await client.keep(location, as: .pinned)
        }
    }
}

struct UnpinCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Keep documents or folders here no longer than there is room: as the folder around them.",
        discussion: """
            What is here stays until it is evicted.

            Examples:
              docent unpin work:/Reports
              docent unpin work:/Reports/old --online-only   also in a folder that is pinned
            """
    )

    @OptionGroup var items: KeptItems

    @Flag(help: "They come only when they are opened, whatever holds for the folder around them, and leave first.")
    var onlineOnly = false

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(items.locations) { location in
            // It would be sent from then on.
            guard try await client.knownItem(at: location).marks.own != .excluded else {
                throw DocumentError(
                    .invalidArgument,
                    "\(location) is excluded from sync, and not pinned: docent include \(location) ends that.")
            }
            try await client.keep(location, as: onlineOnly ? .onlineOnly : nil)
        }
    }
}

struct KeepCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Say how long the contents of documents, or of everything in folders, are here.",
        discussion: """
            What was said of a folder holds for everything below it, until something nearer says otherwise. docent pin is
            the same as docent keep --as pinned, and docent unpin as --as inherit; docent stat shows what holds. What is
            excluded from sync has to be included before. Whatever was said, nothing leaves that has changes which were
            not sent, or is in use.

              inherit        as the folder around it; where nothing was said at all, automatic
              automatic      they come when they are opened, and stay while there is room (docent space)
              while-current  as automatic; when the remote has newer ones, those that are here leave
              online-only    as automatic, and the first to leave
              pinned         they come by themselves, are kept current, and never leave

            Examples:
              docent keep work:/ --as while-current
              docent keep work:/Reports/drafts --as automatic   also in a folder that is pinned
            """
    )

    @OptionGroup var items: KeptItems

    @Option(name: .customLong("as"), help: "How they are kept.")
    var way: Way

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(items.locations) { location in
            try await client.requireNotExcluded(location)
            try await client.keep(location, as: way.keeping)
        }
    }

    enum Way: String, ExpressibleByArgument, CaseIterable {
        case inherit, automatic
        case whileCurrent = "while-current"
        case onlineOnly = "online-only"
        case pinned

        /// Nil: as the folder around it.
        var keeping: Keeping? {
            switch self {
            case .inherit: nil
            case .automatic: .automatic
            case .whileCurrent: .whileCurrent
            case .onlineOnly: .onlineOnly
            case .pinned: .pinned
            }
        }
    }
}

struct ExcludeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "exclude",
        abstract: "Exclude documents or folders from sync: their changes stay here, and nothing comes unasked.",
        discussion: """
            What is here stays here; docent include ends it, and sends what was changed.

            Example: docent exclude work:/Scratch
            """
    )

    @OptionGroup var items: KeptItems

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(items.locations) { try await client.keep($0, as: .excluded) }
    }
}

struct IncludeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "include",
        abstract: "Include documents or folders in sync again that were excluded.",
        discussion: "Example: docent include work:/Scratch"
    )

    @OptionGroup var items: KeptItems

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(items.locations) { location in
            let marks = try await client.knownItem(at: location).marks
            // How it is kept otherwise, people have said for another reason.
            if marks.own == .excluded { return try await client.keep(location, as: nil) }
            if let rule = marks.ignoredBy {
                throw DocumentError(
                    .invalidArgument,
                    "\(location) is kept here by the ignore rule “\(rule)”: see docent ignore \(location.domain).")
            }
            guard marks.keeping != .excluded else {
                throw DocumentError(
                    .invalidArgument,
                    "\(location) itself is not excluded: include the folder around it that is, or docent keep \(location) --as automatic has it alone sent."
                )
            }
        }
    }
}
