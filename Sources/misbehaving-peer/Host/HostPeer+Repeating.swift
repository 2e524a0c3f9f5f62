import Glibc

/// Each change of items again and again, under the same operation, as a host does that did not hear of the answer.
extension HostPeer {
    private static let times = 10

    /// Throws a ``Finding`` unless each change was made once.
    func repeatChanges() throws {
        let name = "docent-conformance-\(getpid())"
        let root = rootID
        let folder = try made(name, in: root, PeerItem.folder, contents: nil)
        let document = try made(name + ".txt", in: folder, PeerItem.document, contents: "first")
        try expectNames([name + ".txt"], in: folder)
        let second = try file("second")
        guard try isChanged(document, operation: name + "-contents", { $0.text(3, second) }) else {
            throw Finding("It takes no new contents.")
        }
        let isRenamed = try isChanged(document, operation: name + "-name") { $0.text(4, name + ".md") }
        let newName = name + (isRenamed ? ".md" : ".txt")
        try expectNames([newName], in: folder)
        let other = try made(name + "-other", in: root, PeerItem.folder, contents: nil)
        let isMoved = try isChanged(document, operation: name + "-move") { $0.text(5, other) }
        try expectNames(isMoved ? [] : [newName], in: folder)
        try expectNames(isMoved ? [newName] : [], in: other)
        for (number, id) in [document, other, folder].enumerated() {
            try removed(id, operation: name + "-removal-\(number)")
        }
    }

    /// - Returns: the identifier of what was made, always the same.
    private func made(_ name: String, in folder: String, _ kind: UInt64, contents: String?) throws -> String {
        let path = try contents.map(file)
        var ids: Set<String> = []
        for _ in 0..<Self.times {
            let frame = request(.create) {
                $0.text(1, folder)
                $0.text(2, name)
                $0.number(3, kind)
                if let path { $0.text(4, path) }
                $0.text(6, name)
            }
            let answer = try answer(of: frame, "It fails a repeated create")
            ids.insert(answer.message(PeerCall.Kind.create.rawValue).message(1).text(1))
        }
        guard ids.count == 1, let id = ids.first, !id.isEmpty else {
            throw Finding("A repeated create made \(ids.count) items.")
        }
        return id
    }

    /// - Returns: false when it refuses that again and again: not everything can be renamed, or moved.
    private func isChanged(
        _ id: String, operation: String, _ change: (inout MessageWriter) -> Void
    ) throws -> Bool {
        var versions: Set<[UInt8]> = []
        var codes: Set<UInt64> = []
        for _ in 0..<Self.times {
            let frame = request(.modify) {
                $0.text(1, id)
                change(&$0)
                $0.text(7, operation)
            }
            let final = try final(of: frame)
            if final.kind == .answer {
                let answer = MessageReader(final.message.bytes(1)) ?? .empty
                // There is one more version for each change that is made.
                versions.insert(answer.message(PeerCall.Kind.modify.rawValue).message(1).bytes(9))
            } else {
                codes.insert(final.message.number(1))
            }
        }
        guard versions.count + codes.count == 1 else {
            throw Finding("A repeated change made \(versions.count) versions, and failed in \(codes.count) ways.")
        }
        return codes.isEmpty
    }

    private func removed(_ id: String, operation: String) throws {
        for _ in 0..<Self.times {
            let frame = request(.delete) {
                $0.text(1, id)
                $0.text(4, operation)
            }
            try answer(of: frame, "It fails a repeated delete")
        }
    }

    private func expectNames(_ names: [String], in folder: String) throws {
        let frame = request(.enumerate) { $0.text(1, folder) }
        let answer = try answer(of: frame, "It does not list a folder that it has made")
        let found = answer.message(PeerCall.Kind.enumerate.rawValue).all(1).compactMap { MessageReader($0)?.text(3) }
        guard found == names else { throw Finding("A folder holds \(found) after repeated changes, not \(names).") }
    }

    private func file(_ text: String) throws -> String {
        let path = "\(folder)/\(text)"
        try File(path, O_WRONLY | O_CREAT | O_TRUNC).write(Array(text.utf8))
        return path
    }
}
