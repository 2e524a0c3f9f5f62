import DocumentModel

extension AccessRequest {
    /// More accesses than this are not nested by any tool that means well.
    private static let deepestNesting = 64
    private static let mostDocuments = 1_000

    static func checked(nesting: [UInt64]) throws(DocumentError) -> [UInt64] {
        guard nesting.count <= deepestNesting else {
            throw DocumentError(
                .invalidArgument,
                "An access was asked for inside \(nesting.count) others; \(deepestNesting) is the most.")
        }
        return nesting
    }

    init(_ call: WireServiceBeginAccess) throws(DocumentError) {
        self.init(
            location: try Location(call.location),
            intent: try AccessIntent(call.intent),
            writingOption: try WritingOption?(call.writingOption),
            purpose: call.purpose.isEmpty ? nil : try Checks.text(call.purpose, "A purpose", limit: 256),
            metadataOnly: call.metadataOnly,
            nestedIn: try Self.checked(nesting: call.nestedIn)
        )
        readingOptions = ReadingOptions(call.readingOptions)
        guard call.also.count < Self.mostDocuments else {
            throw DocumentError(
                .invalidArgument,
                "An access to \(call.also.count + 1) documents in one step was asked for; \(Self.mostDocuments) is the most."
            )
        }
        also = try mapped(call.also, Intention.init)
        presenter = call.presenter == 0 ? nil : call.presenter
        coordinator = call.coordinator == 0 ? nil : call.coordinator
        answering = call.answering == 0 ? nil : call.answering
        isPreparation = call.preparation
        bookmark = call.bookmark.isEmpty ? nil : try Bookmark(bytes: Array(call.bookmark))
        onBehalf = call.onBehalf.isEmpty ? nil : try Checks.text(call.onBehalf, "A program's name", limit: 256)
        isOfMount = call.ofMount
        isCreating = call.creating
        guard !isCreating || isPlainWrite else {
            throw DocumentError(
                .invalidArgument,
                "\(location) was to be made by an access that does more than write it: make it on its own first.")
        }
        try Self.check(intentions)
    }

    private static func check(_ intentions: [Intention]) throws(DocumentError) {
        var writings: [Location: WritingOption?] = [:]
        for intention in intentions {
            guard intention.writingOption == nil || intention.intent == .writing else {
                throw DocumentError(
                    .invalidArgument, "A writing option was given for a reading access to \(intention.location).")
            }
            guard !intention.readingOptions.contains([.forUploading, .immediatelyAvailableMetadataOnly]) else {
                throw DocumentError(
                    .invalidArgument,
                    "\(intention.location) was to be read for uploading and without its contents: leave out one of the options."
                )
            }
            guard intention.intent == .writing else { continue }
            // COORD-15.
            if let other = writings.updateValue(intention.writingOption, forKey: intention.location),
                other != intention.writingOption
            {
                throw DocumentError(
                    .invalidArgument,
                    "\(intention.location) was to be written with two options in one step: choose one of them, or do the one after the other."
                )
            }
        }
    }
}

extension AccessRequest {
    /// Of one document, with nothing special about it.
    private var isPlainWrite: Bool {
        intent == .writing && writingOption == nil && also.isEmpty && !isPreparation && !metadataOnly
    }
}

extension AccessRequest.Intention {
    fileprivate init(_ wire: WireServiceAccessIntention) throws(DocumentError) {
        self.init(
            location: try Location(wire.location), intent: try AccessIntent(wire.intent),
            writingOption: try WritingOption?(wire.writingOption),
            readingOptions: ReadingOptions(wire.readingOptions))
    }
}

extension WireServiceAccessIntention {
    fileprivate init(_ intention: AccessRequest.Intention) {
        self.init()
        location = intention.location.description
        intent = WireServiceIntent(intention.intent)
        writingOption = WireServiceWritingOption(intention.writingOption)
        if !intention.readingOptions.isEmpty {
            readingOptions = WireServiceReadingOptions(intention.readingOptions)
        }
    }
}

extension ReadingOptions {
    fileprivate init(_ wire: WireServiceReadingOptions) {
        self = []
        if wire.withoutChanges { insert(.withoutChanges) }
        if wire.resolvesSymbolicLink { insert(.resolvesSymbolicLink) }
        if wire.immediatelyAvailableMetadataOnly { insert(.immediatelyAvailableMetadataOnly) }
        if wire.forUploading { insert(.forUploading) }
        if wire.asItComes { insert(.asItComes) }
        if wire.readingAhead { insert(.readingAhead) }
    }
}

extension WireServiceReadingOptions {
    fileprivate init(_ options: ReadingOptions) {
        self.init()
        withoutChanges = options.contains(.withoutChanges)
        resolvesSymbolicLink = options.contains(.resolvesSymbolicLink)
        immediatelyAvailableMetadataOnly = options.contains(.immediatelyAvailableMetadataOnly)
        forUploading = options.contains(.forUploading)
        asItComes = options.contains(.asItComes)
        readingAhead = options.contains(.readingAhead)
    }
}

extension WireServiceBeginAccess {
    init(_ request: AccessRequest) {
        self.init()
        location = request.location.description
        intent = WireServiceIntent(request.intent)
        purpose = request.purpose ?? ""
        metadataOnly = request.metadataOnly
        nestedIn = request.nestedIn
        writingOption = WireServiceWritingOption(request.writingOption)
        if !request.readingOptions.isEmpty { readingOptions = WireServiceReadingOptions(request.readingOptions) }
        also = request.also.map(WireServiceAccessIntention.init)
        presenter = request.presenter ?? 0
        coordinator = request.coordinator ?? 0
        answering = request.answering ?? 0
        preparation = request.isPreparation
        bookmark = collected(request.bookmark?.bytes ?? [])
        creating = request.isCreating
        onBehalf = request.onBehalf ?? ""
        ofMount = request.isOfMount
    }
}

extension WritingOption? {
    init(_ option: WireServiceWritingOption) throws(DocumentError) {
        switch option {
        case .unspecified: self = nil
        case .forDeleting: self = .forDeleting
        case .forMoving: self = .forMoving
        case .forMerging: self = .forMerging
        case .forReplacing: self = .forReplacing
        case .contentIndependentMetadataOnly: self = .contentIndependentMetadataOnly
        case .UNRECOGNIZED(let number):
            throw DocumentError(
                .invalidArgument, "The writing option \(number) is not known; this host may be too old.")
        }
    }
}

extension WireServiceWritingOption {
    init(_ option: WritingOption?) {
        self =
            switch option {
            case nil: .unspecified
            case .forDeleting: .forDeleting
            case .forMoving: .forMoving
            case .forMerging: .forMerging
            case .forReplacing: .forReplacing
            case .contentIndependentMetadataOnly: .contentIndependentMetadataOnly
            }
    }
}

extension AccessIntent {
    init(_ wire: WireServiceIntent) throws(DocumentError) {
        switch wire {
        case .reading: self = .reading
        case .writing: self = .writing
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not an intent of an access.")
        }
    }
}

extension WireServiceIntent {
    init(_ intent: AccessIntent) {
        switch intent {
        case .reading: self = .reading
        case .writing: self = .writing
        }
    }
}
