import DocumentModel

extension AccessRequest {
    /// More accesses than this are not nested by any tool that means well.
    private static let deepestNesting = 64

    init(_ call: WireServiceBeginAccess) throws(DocumentError) {
        guard call.nestedIn.count <= Self.deepestNesting else {
            throw DocumentError(
                .invalidArgument,
                "An access was asked for inside \(call.nestedIn.count) others; \(Self.deepestNesting) is the most.")
        }
        self.init(
            location: try Location(call.location),
            intent: try AccessIntent(call.intent),
            writingOption: try WritingOption?(call.writingOption),
            purpose: call.purpose.isEmpty ? nil : try Checks.text(call.purpose, "A purpose", limit: 256),
            metadataOnly: call.metadataOnly,
            nestedIn: call.nestedIn
        )
        guard writingOption == nil || intent == .writing else {
            throw DocumentError(.invalidArgument, "A writing option was given for a reading access to \(location).")
        }
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
    fileprivate init(_ wire: WireServiceIntent) throws(DocumentError) {
        switch wire {
        case .reading: self = .reading
        case .writing: self = .writing
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not an intent of an access.")
        }
    }
}

extension WireServiceIntent {
    fileprivate init(_ intent: AccessIntent) {
        switch intent {
        case .reading: self = .reading
        case .writing: self = .writing
        }
    }
}
