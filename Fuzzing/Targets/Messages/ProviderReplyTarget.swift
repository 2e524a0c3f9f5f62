import DocumentModel
import DocumentWire

/// What a provider answers, to each of the calls: an answer to another call is never taken for this one's, and no name
/// in it leads out of a folder.
enum ProviderReplyTarget: FuzzTarget {
    static let name = "provider-reply"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let refusals: Set<DocumentError.Code> = [.protocolViolation, .unimplemented, .contractBroken]
        guard let reply = try ProviderReply.read(input, refusals: refusals) else { return }
        let calls: [ProviderCall]
        do throws(DocumentError) {
            calls = try Self.calls
        } catch {
            throw FuzzFinding("A call could not be made: \(error)")
        }
        try require(calls.count { reply.fits($0) } == 1, "\(reply) answers more or less than one call.")
        for call in calls {
            let refusal: DocumentError?
            do throws(DocumentError) {
                try reply.check(answers: call)
                refusal = nil
            } catch {
                refusal = error
            }
            try require(refusal != nil || reply.fits(call), "\(reply) was taken for an answer to \(call).")
            try require(
                refusal.map { $0.code == .contractBroken } ?? true, "\(reply) was refused with \(refusal as Any).")
        }
        if case .thumbnails(let given) = reply, case .thumbnails(let call)? = calls.last {
            for answer in given { try check(answer, call) }
        }
        for item in reply.items {
            guard let name = item.name?.rawValue else { continue }
            try require(
                !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == 0 || $0 == 0x2F },
                "The name “\(name)” is no name.")
        }
    }

    /// What is taken for a picture is one, of the size and the version that were asked for.
    private static func check(
        _ answer: ProvidedThumbnail, _ call: ProviderCall.ThumbnailsCall
    ) throws(FuzzFinding) {
        guard case .image(let thumbnail)? = try? answer.outcome(for: call) else { return }
        try require(
            thumbnail.bytes.count <= Thumbnail.maximumLength && thumbnail.header.width > 0
                && thumbnail.header.height > 0 && thumbnail.header.longerSide <= 256,
            "\(thumbnail.header) was taken for a thumbnail.")
    }

    /// One of each kind.
    private static var calls: [ProviderCall] {
        get throws(DocumentError) {
            let id = try ItemIdentifier("a")
            let name = try ItemName("a")
            let version = try ItemVersion(content: [1], metadata: [])
            let picker = ProviderCall.PickerCall(session: "1", mode: .open, validTypes: [])
            return [
                .identity, .item(id), .enumerate(container: id, page: nil, suggestedCount: 1), .providePlaceholder(id),
                .startProviding(id, stagingPath: "/a", contentVersion: []), .itemChanged(id), .stopProviding(id),
                .identifierForPath("a"), .pathForIdentifier(id),
                .create(
                    ProviderCall.CreateCall(
                        parentID: id, name: name, kind: .folder, contentsPath: nil, modified: nil, operation: "1")),
                .modify(
                    ProviderCall.ModifyCall(
                        id: id, baseVersion: version, contentsPath: nil, name: nil, parentID: nil, modified: nil,
                        operation: "1")),
                .delete(
                    ProviderCall.DeleteCall(id: id, baseVersion: version, recursive: false, operation: "1")),
                .currentAnchor, .changesSince(try SyncAnchor([1]), suggestedCount: 1),
                .provideRange(
                    ProviderCall.RangeCall(id: id, stagingPath: "/a", contentVersion: [1], range: 0..<1)),
                .preparePicker(picker), .validateChoice(.item(id), picker), .endPicker(session: "1"),
                .thumbnails(
                    ProviderCall.ThumbnailsCall(items: [WantedThumbnail(id, contentVersion: [1])], size: 128)),
                .listVersions(id),
                .provideVersion(ProviderCall.ProvideVersionCall(id: id, versionID: "v1", stagingPath: "/a")),
                .keepVersion(
                    ProviderCall.KeepVersionCall(
                        id: id, contentsPath: "/a", role: .conflict, modified: .zero, savedBy: "",
                        sha256: [UInt8](repeating: 0, count: 32), operation: "1")),
                .removeVersion(id, versionID: "v1"),
                .quota,
            ]
        }
    }
}

extension ProviderReply: CheckedMessage {}

extension ProviderReply {
    fileprivate var items: [Item] {
        switch self {
        case .startProviding(let provided): [provided.item]
        case .item(let item), .create(let item), .modify(let item), .provideRange(let item): [item]
        case .enumerate(let page): page.items
        case .changesSince(let changes): changes.updated
        default: []
        }
    }
}
