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
                path: try Checks.absolutePath(answer.path, "A document's file"),
                item: try ItemStatus(answer.item)
            )
        case .evict(let answer): self = .evict(evicted: Int(answer.evicted), bytes: answer.bytes)
        case .status(let answer):
            self = .status(
                domains: try mapped(answer.domains, DomainStatus.init),
                items: try mapped(answer.items, ItemStatus.init)
            )
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
        case .listDomains(let domains): .listDomains(.with { $0.domains = domains.map(WireServiceDomain.init) })
        case .listItems(let page):
            .listItems(
                .with {
                    $0.items = page.items.map(WireServiceItemStatus.init)
                    $0.nextPage = collected(page.next?.bytes ?? [])
                }
            )
        case .item(let status): .item(.with { $0.item = WireServiceItemStatus(status) })
        case .beginAccess(let access, let path, let item):
            .beginAccess(
                .with {
                    $0.access = access
                    $0.path = path
                    $0.item = WireServiceItemStatus(item)
                }
            )
        case .evict(let evicted, let bytes):
            .evict(
                .with {
                    $0.evicted = UInt32(clamping: evicted)
                    $0.bytes = bytes
                }
            )
        case .status(let domains, let items):
            .status(
                .with {
                    $0.domains = domains.map(WireServiceDomainStatus.init)
                    $0.items = items.map(WireServiceItemStatus.init)
                }
            )
        }
    }
}
