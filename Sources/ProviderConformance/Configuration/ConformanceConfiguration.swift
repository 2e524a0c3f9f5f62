/// What a run is told of the provider and of how to treat it: the contents of a configuration file, with what the
/// command line adds.
public struct ConformanceConfiguration: Sendable, Hashable {
    /// The provider's identifier, where there is no manifest.
    public var identifier: String?
    /// The domain's settings. `{work}` stands for a temporary folder of the run, `{config}` for the folder of the
    /// configuration file. They are secrets: no report shows them.
    public var settings: [String: String] = [:]
    public var data = DataSet()
    public var limits = Limits()
    /// Ids of checks that are not run; a `*` stands for any text.
    public var disabled: [String] = []
    /// A file with the failures that are known and excused, relative to the configuration file.
    public var expectedFailures: String?
    public var hooks = Hooks()
    /// How many checks run side by side, 1 to 16. Each lane has a `{work}`, a state folder and processes of its own, for
    /// which the hooks are run, too: right for a provider that shares nothing else.
    public var lanes = 1

    /// What the provider has, where the checks cannot find it out by looking. Paths are relative to the top folder.
    public struct DataSet: Sendable, Hashable {
        /// Documents with contents.
        public var documents: [Document] = []
        /// Folders with items in them.
        public var folders: [String] = []
        /// Folders without items.
        public var emptyFolders: [String] = []
        /// Where mutating checks make their own folders; the top folder when empty.
        public var container = ""

        /// A document that is known beforehand.
        public struct Document: Sendable, Hashable {
            public var path: String
            /// In bytes, if it is known.
            public var size: Int64?
            /// Its contents as text, if they are known.
            public var contents: String?

            /// - Parameters: as the properties.
            public init(path: String, size: Int64? = nil, contents: String? = nil) {
                self.path = path
                self.size = size
                self.contents = contents
            }
        }

        public init() {}
    }

    /// How long things may take, in seconds.
    public struct Limits: Sendable, Hashable {
        /// From launch to the end of the handshake.
        public var start = 10.0
        /// One request, and one hook.
        public var request = 10.0
        /// A check takes as long as it says, times this.
        public var factor = 1.0

        public init() {}

        /// Makes everything take that many times as long.
        public mutating func scale(by patience: Double) {
            start *= patience
            request *= patience
            factor *= patience
        }
    }

    /// Programs with arguments that are run around and within the checks, in a folder of the run, with `{work}` and
    /// `{config}` as in the settings.
    public struct Hooks: Sendable, Hashable {
        /// Before the provider is started for the first time.
        public var prepare: [[String]] = []
        /// After all.
        public var cleanUp: [[String]] = []
        /// Makes what the provider gives access to unreachable.
        public var remoteAway: [String]?
        /// Makes it reachable again.
        public var remoteBack: [String]?
        /// Changes a document behind the provider's back. Gets the path of a document as its last argument.
        public var changeDocument: [String]?
        /// Has the provider fail with an error from now on. Gets the name of its code as the last argument. Ends with
        /// status 77 where the provider cannot be brought to that.
        public var refuse: [String]?
        /// Ends that.
        public var accept: [String]?

        public init() {}
    }

    public init() {}
}
