package import DocumentModel

/// One attack on a host: a peer that misbehaves, what a caller asks meanwhile, and what has to come of it.
public struct HostAttack: Sendable, Identifiable {
    public let description: CheckDescription
    /// The behaviour of `misbehaving-peer`.
    public let behaviour: String
    /// What the caller asks.
    package let question: HostQuestion
    /// What has to become of that.
    package let expectation: HostExpectation
    /// What the provider's manifest declares.
    package let capabilities: Set<ProviderCapability>
    /// What the error has to say beside what every error says.
    package let words: [String]
    /// What the classes of its calls allow: that is the host's word, on a slow machine too.
    private let deadline: Duration
    /// What this machine may take beside that.
    private let margin: Duration
    /// Whether its provider starts others, which the manifest has to ask for.
    package let startsProcesses: Bool

    public var id: String { description.id }

    /// Whether it goes for the host's process itself.
    var mayEndHost: Bool { behaviour == "process-signals-the-host" }

    /// Whether it tries to write where it may not.
    var writesOutside: Bool {
        [
            "content-in-the-wrong-place", "content-into-the-tree", "content-through-a-second-name",
            "side-in-the-wrong-place",
        ].contains(behaviour)
    }

    /// - Parameters:
    ///   - id: `HA-FAMILY-001`.
    ///   - title: the rule in one sentence, as it is when the host stands the attack.
    ///   - words: what the error has to say.
    ///   - heedsCancel: whether its provider ends what is cancelled; where not, the host waits for the grace too.
    ///   - work: how long it may take because there is much to do, and nobody waits.
    package init(
        _ id: String, _ title: String, rule: String, behaviour: String, asking question: HostQuestion,
        expecting expectation: HostExpectation, capabilities: Set<ProviderCapability> = [],
        saying words: [String] = [], heedsCancel: Bool = true, work: Duration = .zero, startsProcesses: Bool = false
    ) {
        self.words = words
        description = CheckDescription(id: id, title: title, level: .must, rule: .rule(rule))
        self.behaviour = behaviour
        self.question = question
        self.expectation = expectation
        self.capabilities = capabilities
        deadline = question.calls.reduce(heedsCancel ? .zero : Self.cancelGrace) { $0 + $1.limit }
        margin = work + Self.usualMargin
        self.startsProcesses = startsProcesses
    }

    /// A host gives a cancelled call so long to end.
    private static let cancelGrace = Duration.seconds(10)
    /// For starting a provider once more, for the disk, and for whatever else runs.
    private static let usualMargin = Duration.seconds(5)

    /// How long the caller may have to wait for the end of what was asked.
    ///
    /// - Parameter patience: how much slower than usual the machine may be.
    package func limit(patience: Double = 1) -> Duration { deadline + margin * patience }

    /// Every attack, family after family.
    public static let all: [HostAttack] =
        starts + frames + answers + floods + contents + parts + processes + listings + values + changes + modifications
        + codes + pickers + thumbnails + sides + quotas + questions + counted + tools
}

/// What a caller asks for while a provider misbehaves.
package enum HostQuestion: Hashable, Sendable {
    /// A domain of the provider.
    case add
    /// The top folder.
    case list
    /// The top folder, twice.
    case listTwice
    /// The contents of the document that the behaviours deviate on.
    case read
    /// The same, of a document that is so large that it comes part by part.
    case readLarge
    /// The contents, and then a good document.
    case readThenGood
    /// The same, and to be let go after two seconds.
    case readAndCancel
    /// The same twice, with the contents let go in between.
    case readAgain
    /// To change that document, then the top folder twice, and the change again.
    case editBetweenListings
    /// The news of the remote.
    case refresh
    /// The news of the remote, and then a document that is new there.
    case refreshAndFind
    /// The news of the remote, and then the contents of a document that is newer than the news have it.
    case refreshAndRead
    /// The folder in the top folder, and the one in that, and so on.
    case descend
    /// To change a document.
    case write
    /// To change a document, and to wait until the provider has taken that after all.
    case writeUntilTaken
    /// To make a document.
    case create
    case remove
    case rename
    /// To list, to read, to write, to make and to rename, a few times; whatever fails once more.
    case useAll
    /// To choose a document in a picker.
    case pick
    /// The thumbnails of the document that the behaviours deviate on, and of a good one.
    case thumbnails
    /// What the remote keeps of the document that the behaviours deviate on, and what other devices have left there.
    case sides
    /// To change that document while somebody else does, to see both sides kept, and to choose this one.
    case chooseSide
    /// The same, with another change of it before that.
    case chooseChangedSide
    /// How much room the remote has, and then the top folder with the rest of what the host tells.
    case quota
    /// Nothing: a host tool misbehaves, and judges what it gets itself.
    case tool

    /// What the host asks the provider for it, one after the other, when all goes its usual way.
    var calls: [CallClass] {
        switch self {
        case .add: [.start, .start]
        case .list, .descend: [.metadata]
        case .listTwice: [.metadata, .metadata]
        case .read, .readLarge: [.metadata, .contents]
        case .readThenGood, .readAgain, .write: [.metadata, .contents, .contents]
        case .readAndCancel: [.contents]
        case .editBetweenListings: [.metadata, .contents, .contents, .metadata, .metadata]
        case .refresh, .refreshAndFind: [.metadata, .metadata, .metadata]
        case .refreshAndRead: [.metadata, .metadata, .metadata, .contents]
        case .writeUntilTaken: [.metadata, .contents, .contents, .metadata, .contents]
        case .create: [.metadata, .contents]
        case .remove, .rename: [.metadata, .mutation]
        case .useAll:
            Array(
                repeatElement([.metadata, .contents, .contents, .contents, .mutation], count: AttackQuestion.rounds)
                    .joined())
        case .pick: [.metadata, .metadata, .metadata, .metadata, .contents]
        case .thumbnails: [.metadata, .contents, .contents, .metadata]
        case .sides: [.metadata, .metadata, .contents, .contents]
        case .chooseSide, .chooseChangedSide:
            [.metadata, .contents, .contents, .contents, .contents, .contents, .metadata]
        case .quota: [.metadata, .metadata]
        case .tool: [.tool]
        }
    }
}

/// A class of calls, each of which has its deadline (WIRE-28).
package enum CallClass: String, CaseIterable, Sendable {
    case start, metadata, mutation, contents
    /// Whatever a tool asks in all.
    case tool

    /// What the manifests of the misbehaving providers say.
    var limit: Duration {
        switch self {
        case .metadata, .mutation: .seconds(3)
        case .start, .contents: .seconds(4)
        case .tool: .seconds(35)
        }
    }
}

/// What has to become of what was asked.
package enum HostExpectation: Hashable, Sendable {
    /// It is as if the provider were well-behaved.
    case success
    /// It fails, with one of these codes.
    case failure([DocumentError.Code])
    /// Either of the two, as time will have it: which of two things comes first, and how fast the machine is.
    case either([DocumentError.Code])
    /// Either of the two, as what is wrong may come after the caller has its answer; and in any case the host notices what
    /// is wrong, ends the provider with this code, and has a record of it.
    case noticed(DocumentError.Code)
    /// It succeeds, and the top folder holds just these: what the provider says, and nothing else.
    case listing(Set<String>)

    package var codes: [DocumentError.Code] {
        switch self {
        case .success, .listing: []
        case .failure(let codes), .either(let codes): codes
        case .noticed(let code): [code]
        }
    }
}
