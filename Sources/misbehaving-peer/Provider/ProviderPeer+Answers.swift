import Glibc

/// What a well-behaved provider says.
extension ProviderPeer {
    func answerProperly(_ call: PeerCall) throws {
        switch call.kind {
        case .identity:
            let id = settings.text(6)
            try answer(call) {
                $0.text(1, id)
                $0.text(2, "1.0")
            }
        case .item: try withItem(call) { try answer(call, item: $0) }
        case .enumerate: try answer(call, listing: tree.children(of: call.subject))
        case .providePlaceholder:
            try withItem(call) { item in
                let question = freshID()
                answer(call, after: question)
                try writePlaceholder(item, as: question)
            }
        case .startProviding:
            try withItem(call) { item in
                try fill(call, tree.contents[item.key] ?? [])
                try answer(call, item: item)
            }
        case .provideRange:
            try withItem(call) { item in
                try fill(call, tree.contents[item.key] ?? [], only: call.range)
                try answer(call, item: item)
            }
        case .itemChanged, .stopProviding, .preparePicker, .validateChoice, .endPicker: try done(call)
        case .quota: try answer(call) { $0.number(1, 1_000_000) }
        case .listVersions: try answer(call, sides: tree.sides[call.subject] ?? [])
        case .provideVersion: try provideSide(call)
        case .keepVersion: try keepSide(call)
        case .removeVersion:
            tree.removeSide(call.version, of: call.subject)
            try done(call)
        case .thumbnails:
            try answer(call) { for (id, version) in call.wantedThumbnails { $0.thumbnail(id, version: version) } }
        case .identifierForPath:
            let path = call.subject
            let item = tree.items.values.first { tree.path(of: $0) == path }
            try answer(call) { $0.text(1, item?.key ?? "") }
        case .pathForIdentifier:
            let path = tree.items[call.subject].map { tree.path(of: $0) }
            try answer(call) {
                $0.number(1, path == nil ? 0 : 1)
                $0.text(2, path ?? "")
            }
        case .create: try create(call)
        case .modify: try modify(call)
        case .delete:
            tree.remove(call.subject)
            try done(call)
        case .currentAnchor: try answer(call) { $0.text(1, "1") }
        case .changesSince:
            let anchor = call.anchor
            try answer(call) { $0.bytes(3, anchor) }
        }
    }

    func answer(_ call: PeerCall, _ build: (inout MessageWriter) -> Void) throws {
        open.remove(call.id)
        try pipe.send(.answer(call.id, answerBody(call.kind, build)))
    }

    func answerBody(_ kind: PeerCall.Kind, _ build: (inout MessageWriter) -> Void) -> [UInt8] {
        MessageWriter.message { $0.message(kind.rawValue, build) }
    }

    func done(_ call: PeerCall) throws {
        try answer(call) { _ in }
    }

    func answer(_ call: PeerCall, item: PeerItem, digest: [UInt8] = []) throws {
        try answer(call) {
            $0.bytes(1, item.message)
            if !digest.isEmpty { $0.bytes(2, digest) }
        }
    }

    func answer(_ call: PeerCall, listing items: [PeerItem], next: [UInt8] = []) throws {
        try answer(call) {
            for item in items { $0.bytes(1, item.message) }
            if !next.isEmpty { $0.bytes(2, next) }
        }
    }

    func fail(_ call: PeerCall, _ code: UInt64, _ message: String) throws {
        open.remove(call.id)
        try pipe.send(.failure(call.id, code, message))
    }

    func writePlaceholder(_ item: PeerItem, as id: UInt64? = nil) throws {
        try pipe.send(
            PeerFrame(id: id ?? freshID(), .request) { request in
                request.message(1) { $0.message(1) { $0.bytes(1, item.message) } }
            })
    }

    func notify(_ field: Int, _ build: (inout MessageWriter) -> Void = { _ in }) -> PeerFrame {
        PeerFrame(.notification) { $0.message(1) { $0.message(field, build) } }
    }

    /// The target, as the tree has it.
    var target: PeerItem { tree.items[PeerTree.target] ?? PeerItem("target", in: "/", named: "target.txt") }
    var targetContents: [UInt8] { tree.contents[PeerTree.target] ?? [] }

    /// Writes a staging file.
    func fill(_ call: PeerCall, _ bytes: [UInt8]) throws {
        let file = try File(call.stagingPath, O_WRONLY)
        try file.write(bytes)
    }

    /// The same of a part of it.
    func fill(_ call: PeerCall, _ bytes: [UInt8], only part: Range<Int>) throws {
        let file = try File(call.stagingPath, O_WRONLY)
        try file.write(Array(bytes[part.clamped(to: 0..<bytes.count)]), at: part.lowerBound)
    }

    private func withItem(_ call: PeerCall, _ body: (PeerItem) throws -> Void) throws {
        guard let item = tree.items[call.subject] else {
            return try fail(call, 201, "There is no “\(call.subject)” here.")
        }
        try body(item)
    }

    private func create(_ call: PeerCall) throws {
        var item = PeerItem(tree.fresh(), in: call.subject, named: call.fields.text(2))
        item.kind = call.fields.number(3)
        if item.kind == PeerItem.folder { item.content = [] }
        tree.add(item, item.kind == PeerItem.folder ? nil : try File.contents(of: call.fields.text(4)))
        try answer(call, item: tree.items[item.key] ?? item)
    }

    private func modify(_ call: PeerCall) throws {
        try withItem(call) { item in
            let base = call.fields.message(2)
            for (asked, have) in [(base.bytes(1), item.content), (base.bytes(2), item.metadata)] {
                guard asked.isEmpty || asked == have else { return try fail(call, 205, "It is another version.") }
            }
            var item = item
            var bytes: [UInt8]?
            if !call.fields.bytes(3).isEmpty {
                bytes = try File.contents(of: call.fields.text(3))
                item.content = Array(tree.fresh().utf8)
            }
            if !call.fields.bytes(4).isEmpty { item.name = call.fields.bytes(4) }
            if !call.fields.bytes(5).isEmpty { item.parent = call.fields.bytes(5) }
            item.metadata = Array(tree.fresh().utf8)
            tree.add(item, bytes)
            try answer(call, item: tree.items[item.key] ?? item)
        }
    }
}

extension PeerTree {
    func path(of item: PeerItem) -> String {
        var names: [String] = []
        var next: PeerItem? = item
        while let item = next, !item.parent.isEmpty, names.count < 64 {
            names.insert(String(decoding: item.name, as: UTF8.self), at: 0)
            next = items[String(decoding: item.parent, as: UTF8.self)]
        }
        return names.joined(separator: "/")
    }
}
