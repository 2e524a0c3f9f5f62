import DocumentModel
import DocumentWire

/// What these tests send.
extension ServiceRoundTripTests {
    /// Who lets go for readers does so for writers.
    func capabilities(_ generator: inout Generator) -> PresenterCapabilities {
        let some = PresenterCapabilities(rawValue: UInt32(generator.int(0...8191))).intersection(.all)
        return some.isDisjoint(with: .relinquishing) || some.contains(.relinquishingToWriters)
            ? some : some.union(.relinquishing)
    }

    func place(_ generator: inout Generator) throws -> PresentedPlace? {
        try generator.optional { $0.bool() ? .item(try $0.location()) : .local($0.path()) }
    }

    func status(_ generator: inout Generator) throws -> ItemStatus {
        ItemStatus(
            item: try generator.item(),
            location: try generator.location(),
            state: generator.one(of: ItemState.allCases),
            path: generator.bool() ? generator.path() : "",
            problem: try generator.optional { try $0.error() },
            progress: generator.optional { generator in
                TransferProgress(
                    done: UInt64(generator.int(0...Int.max)),
                    expected: generator.optional { UInt64($0.int(1...Int.max)) }
                )
            },
            conflictPath: generator.optional { $0.path() },
            transfers: ItemTransfers(
                download: try generator.optional { try transfer(&$0) },
                upload: try generator.optional { try transfer(&$0) }, isDownloadRequested: generator.bool()),
            marks: ItemMarks(
                own: generator.optional { $0.one(of: Keeping.allCases) }, keeping: generator.one(of: Keeping.allCases),
                isPausedItself: generator.bool(), isPaused: generator.bool(),
                ignoredBy: try generator.optional { try IgnorePattern("*.t\($0.int(0...9))") })
        )
    }

    func transfer(_ generator: inout Generator) throws -> TransferStatus {
        TransferStatus(
            done: generator.next(), expected: generator.optional { $0.next() },
            percent: generator.optional { $0.int(0...100) }, bytesPerSecond: generator.optional { $0.next() },
            timeLeft: generator.optional { .milliseconds($0.int(0...1_000_000)) },
            wait: generator.optional { $0.one(of: TransferWait.allCases) },
            retryIn: generator.optional { .milliseconds($0.int(0...1_000_000)) },
            problem: try generator.optional { try $0.error() })
    }

    func summary(_ generator: inout Generator) -> TransferSummary {
        TransferSummary(
            waiting: generator.next(), underWay: generator.next(), failed: generator.next(),
            bytesLeft: generator.next(), bytesPerSecond: generator.optional { $0.next() },
            timeLeft: generator.optional { .milliseconds($0.int(0...1_000_000)) })
    }

    func domain(_ generator: inout Generator) throws -> DomainDescription {
        var description = DomainDescription(
            name: try generator.domain(), providerID: try generator.provider(), settings: generator.settings(),
            providerState: generator.one(of: ProviderState.allCases),
            problem: try generator.optional { try $0.error() },
            providerProcessID: generator.optional { Int32($0.int(1...4_194_304)) }
        )
        description.note = generator.optional { DomainNote("n" + $0.text(0...20), isWarning: $0.bool()) }
        description.rules = DomainRules(
            deletionMinimum: generator.int(1...1000), deletionPercent: generator.int(0...101),
            lookAgain: .seconds(generator.int(10...1000)))
        description.heldDeletions = try generator.many(0...2) { generator in
            HeldDeletions(
                direction: generator.one(of: HeldDeletions.Direction.allCases), items: generator.int(0...1000),
                materialised: generator.int(0...1000), examples: try generator.many(0...3) { try $0.location() },
                since: generator.timestamp())
        }
        description.quota = try generator.optional {
            ToldQuota(
                try RemoteQuota(used: $0.optional { UInt64($0.int(0...1_000)) }, available: UInt64($0.int(0...1_000))),
                asOf: $0.timestamp())
        }
        return description
    }

    private func readingOptions(_ generator: inout Generator) -> ReadingOptions {
        let options = ReadingOptions(rawValue: UInt32(generator.int(0...15)))
        // The two exclude each other.
        return options.contains(.forUploading) ? options.subtracting(.immediatelyAvailableMetadataOnly) : options
    }

    func access(_ generator: inout Generator) throws -> AccessRequest {
        let intent = generator.one(of: AccessIntent.allCases)
        var request = AccessRequest(
            location: try generator.location(),
            intent: intent,
            writingOption: intent == .writing ? generator.optional { $0.one(of: WritingOption.allCases) } : nil,
            purpose: generator.optional { "p" + $0.text(0...20) },
            metadataOnly: generator.bool(),
            nestedIn: generator.many(0...3) { $0.next() }
        )
        request.readingOptions = intent == .reading ? readingOptions(&generator) : []
        if request.metadataOnly { request.readingOptions.remove(.forUploading) }
        request.also = try generator.many(0...3) { generator in
            let intent = generator.one(of: AccessIntent.allCases)
            return AccessRequest.Intention(
                location: try generator.location(), intent: intent,
                writingOption: intent == .writing ? generator.optional { $0.one(of: WritingOption.allCases) } : nil,
                readingOptions: readingOptions(&generator))
        }
        request.presenter = generator.optional { UInt64($0.int(1...1000)) }
        request.onBehalf = generator.optional { "p" + $0.text(0...20) }
        request.coordinator = generator.optional { UInt64($0.int(1...1000)) }
        request.answering = generator.optional { UInt64($0.int(1...1000)) }
        request.isPreparation = generator.bool()
        request.isOfMount = generator.bool()
        request.isCreating =
            request.intent == .writing && request.writingOption == nil && request.also.isEmpty
            && !request.isPreparation && !request.metadataOnly && generator.bool()
        return request
    }

    func root(_ generator: inout Generator) throws -> PickerRoot {
        PickerRoot(
            id: try generator.entryID(), domain: try generator.domain(), providerName: generator.text(1...10),
            providerState: generator.one(of: ProviderState.allCases),
            problem: try generator.optional { try $0.error() },
            capabilities: ItemCapabilities(rawValue: UInt32(generator.int(0...31))), isDropBox: generator.bool(),
            actions: PickerActions(rawValue: UInt32(generator.int(0...255))))
    }

    func entry(_ generator: inout Generator) throws -> PickerEntry {
        PickerEntry(
            id: try generator.entryID(), status: try status(&generator), isSelectable: generator.bool(),
            actions: PickerActions(rawValue: UInt32(generator.int(0...255))))
    }

    func listing(_ generator: inout Generator) throws -> PickerListing {
        PickerListing(
            entries: try generator.many(0...3) { try entry(&$0) },
            next: try generator.optional { try PageToken($0.bytes(1...500)) }, isLoading: generator.bool(),
            folder: try entry(&generator), parent: try generator.optional { try $0.entryID() },
            shape: PickerShape(
                message: generator.text(0...20),
                places: try generator.many(0...3) { PickerPlace(title: $0.text(1...5), id: try $0.entryID()) },
                columns: generator.many(0...4) { $0.one(of: PickerColumn.allCases) },
                start: try generator.optional { try $0.entryID() }))
    }

    func provider(_ generator: inout Generator) throws -> ProviderDescription {
        ProviderDescription(
            id: try generator.provider(), name: generator.text(0...9), version: generator.text(0...4),
            bundlePath: generator.path(), executable: generator.path(), protocolVersions: [1, 2],
            pickerModes: generator.many(0...4) { $0.one(of: PickerMode.allCases) },
            supportedTypes: [.content, .plainText], capabilities: [.changes, .modifying],
            settings: generator.many(0...3) {
                SettingDescription(
                    key: "k" + $0.text(0...9), type: $0.one(of: SettingType.allCases), required: $0.bool(),
                    isSecret: $0.bool(), defaultValue: $0.optional { "v" + $0.text(0...9) },
                    description: $0.text(0...30)
                )
            },
            permissions: generator.many(0...3) { $0.text(0...30) },
            gaps: generator.many(0...2) { $0.text(0...30) },
            places: generator.many(0...2) { $0.path() },
            domains: try generator.many(0...3) { try $0.domain() }
        )
    }
}
