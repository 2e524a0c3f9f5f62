package import DocumentModel
import SwiftProtobuf

extension ServiceReply {
    /// Reads and checks a serialised `ServiceAnswer`.
    ///
    /// - Throws: `protocolViolation` for bytes that are none and for an answer that tells something impossible,
    ///   `unimplemented` for one of an unknown kind.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        let answer = try WireServiceServiceAnswer.decoded(from: bytes, as: "The daemon's answer")
        guard let answer = answer.answer else {
            throw DocumentError(
                .unimplemented,
                "The daemon answered in a way that this tool does not know: it is newer than this tool. Update the tool."
            )
        }
        let sentence = "The daemon told something that cannot be. Run “docent host stop” and try again."
        self = try blaming(.protocolViolation, sentence) { () throws(DocumentError) in try Self(answer) }
    }

    private init(_ answer: WireServiceServiceAnswer.OneOf_Answer) throws(DocumentError) {
        switch answer {
        case .done: self = .done
        case .hostStatus(let answer): self = .hostStatus(try HostStatus(answer))
        case .listProviders(let answer):
            self = .listProviders(
                try mapped(answer.providers, ProviderDescription.init),
                problems: answer.problems
            )
        case .lastFailure(let answer):
            self = .lastFailure(record: answer.record.isEmpty ? nil : answer.record, path: answer.path)
        case .recordProvider(let answer): self = .recordProvider(folders: answer.folders)
        case .listDomains(let answer):
            self = .listDomains(
                try mapped(answer.domains, DomainDescription.init)
            )
        case .listItems(let answer):
            self = .listItems(
                ItemStatusPage(
                    items: try mapped(answer.items, ItemStatus.init),
                    next: answer.nextPage.isEmpty ? nil : try PageToken(Array(answer.nextPage))
                )
            )
        case .item(let answer): self = .item(try ItemStatus(answer.item))
        case .beginAccess(let answer):
            self = .beginAccess(
                access: answer.access,
                path: try Checks.documentPath(answer.path),
                item: try ItemStatus(answer.item),
                also: try mapped(answer.also) { wire throws(DocumentError) in
                    AccessedItem(
                        path: try Checks.documentPath(wire.path), item: try ItemStatus(wire.item))
                }
            )
        case .coordinationStatus(let answer):
            self = .coordinationStatus(
                CoordinationStatus(
                    holdings: answer.holdings, waits: answer.waits, droppedPresenters: answer.droppedPresenters))
        case .evict(let answer): self = .evict(evicted: Int(answer.evicted), bytes: answer.bytes)
        case .status(let answer):
            self = .status(
                domains: try mapped(answer.domains, DomainStatus.init),
                items: try mapped(answer.items, ItemStatus.init),
                transfers: TransferSummary(answer.transfers),
                broughtFor: try mapped(answer.broughtFor, BroughtFor.init)
            )
        case .listVersions(let answer): self = .versions(try mapped(answer.versions, DocumentVersion.init))
        case .beginPicker(let answer):
            self = .beginPicker(answer.session, roots: try mapped(answer.roots, PickerRoot.init))
        case .browsePicker(let answer): self = .browsePicker(try PickerListing(answer))
        case .pickerEntry(let answer): self = .pickerEntry(try PickerEntry(answer.entry))
        case .choosePicker(let answer): self = .choosePicker(try mapped(answer.items, PickedItem.init))
        case .searchPicker(let answer): self = .searchPicker(try PickerFindings(answer))
        case .thumbnails(let answer): self = .thumbnails(try mapped(answer.results, ThumbnailOutcome.init))
        case .createBookmark(let answer): self = .bookmark(try BookmarkReply(answer))
        case .resolveBookmark(let answer): self = .bookmark(try BookmarkReply(answer))
        case .startBookmark(let answer): self = .bookmark(BookmarkReply(answer))
        case .listBookmarks(let answer): self = .bookmark(try BookmarkReply(answer))
        case .listTools(let answer): self = .tools(try ToolsReply(answer))
        case .openContainer(let answer): self = .tools(try ToolsReply(answer))
        case .listContainers(let answer): self = .tools(try ToolsReply(answer))
        case .keyValues(let answer): self = .tools(try ToolsReply(answer))
        case .spaceUse(let answer): self = .transfers(try TransferReply(answer))
        case .watchItems(let answer): self = .transfers(TransferReply(answer))
        case .nextEvents(let answer): self = .transfers(try TransferReply(answer))
        case .ignoreRules(let answer): self = .safeguards(try SafeguardReply(answer))
        case .explainIgnoring(let answer): self = .safeguards(try SafeguardReply(answer))
        case .previewSync(let answer): self = .safeguards(try SafeguardReply(answer))
        case .previewRemoval(let answer): self = .safeguards(try SafeguardReply(answer))
        case .listTrash(let answer): self = .safeguards(try SafeguardReply(answer))
        case .emptyTrash(let answer): self = .safeguards(SafeguardReply(answer))
        case .trashUse(let answer): self = .safeguards(try SafeguardReply(answer))
        }
    }

    package func serialized() -> [UInt8] {
        var message = WireServiceServiceAnswer()
        message.answer = answer
        return message.encoded()
    }

    private var answer: WireServiceServiceAnswer.OneOf_Answer {
        switch self {
        case .done: .done(WireServiceDone())
        case .hostStatus(let status): .hostStatus(WireServiceHostStatusAnswer(status))
        case .listProviders(let providers, let problems):
            .listProviders(
                .with {
                    $0.providers = providers.map(WireServiceProvider.init)
                    $0.problems = problems
                }
            )
        case .lastFailure(let record, let path):
            .lastFailure(
                .with {
                    $0.record = record ?? ""
                    $0.path = path
                })
        case .recordProvider(let folders): .recordProvider(.with { $0.folders = folders })
        case .listDomains(let domains): .listDomains(.with { $0.domains = domains.map(WireServiceDomain.init) })
        case .listItems(let page):
            .listItems(
                .with {
                    $0.items = page.items.map(WireServiceItemStatus.init)
                    $0.nextPage = collected(page.next?.bytes ?? [])
                }
            )
        case .item(let status): .item(.with { $0.item = WireServiceItemStatus(status) })
        case .beginAccess(let access, let path, let item, let also):
            .beginAccess(
                .with {
                    $0.access = access
                    $0.path = path
                    $0.item = WireServiceItemStatus(item)
                    $0.also = also.map { accessed in
                        .with {
                            $0.path = accessed.path
                            $0.item = WireServiceItemStatus(accessed.item)
                        }
                    }
                }
            )
        case .coordinationStatus(let status):
            .coordinationStatus(
                .with {
                    $0.holdings = status.holdings
                    $0.waits = status.waits
                    $0.droppedPresenters = status.droppedPresenters
                }
            )
        case .evict(let evicted, let bytes):
            .evict(
                .with {
                    $0.evicted = UInt32(clamping: evicted)
                    $0.bytes = bytes
                }
            )
        case .status(let domains, let items, let transfers, let broughtFor):
            .status(
                .with {
                    $0.domains = domains.map(WireServiceDomainStatus.init)
                    $0.items = items.map(WireServiceItemStatus.init)
                    $0.transfers = WireServiceTransferSummary(transfers)
                    $0.broughtFor = broughtFor.map(WireServiceBroughtFor.init)
                }
            )
        case .versions(let versions):
            .listVersions(.with { $0.versions = versions.map(WireServiceVersion.init) })
        case .beginPicker(let session, let roots):
            .beginPicker(
                .with {
                    $0.session = session
                    $0.roots = roots.map(WireServicePickerRoot.init)
                }
            )
        case .browsePicker(let listing): .browsePicker(WireServiceBrowsePickerAnswer(listing))
        case .pickerEntry(let entry): .pickerEntry(.with { $0.entry = WireServicePickerEntry(entry) })
        case .choosePicker(let items): .choosePicker(.with { $0.items = items.map(WireServicePickedItem.init) })
        case .searchPicker(let findings): .searchPicker(WireServiceSearchPickerAnswer(findings))
        case .thumbnails(let outcomes): .thumbnails(WireServiceThumbnailsAnswer(outcomes))
        case .bookmark(let reply): reply.wire
        case .tools(let reply): reply.wire
        case .transfers(let reply): reply.wire
        case .safeguards(let reply): reply.wire
        }
    }
}
