import Glibc

/// Parts of a large document that are not what was asked for.
extension ProviderBehaviour {
    static let parts: [ProviderBehaviour] = [
        part("part-empty", "Writes nothing of a part and says that it is there.", "WIRE-39") { peer, call in
            try peer.answer(call, item: peer.target)
        },
        part("part-half", "Writes half of a part and says that it is there.", "WIRE-39") { peer, call in
            let half = call.range.lowerBound..<call.range.lowerBound + call.range.count / 2
            try peer.fill(call, peer.targetContents, only: half)
            try peer.answer(call, item: peer.target)
        },
        part("part-elsewhere", "Writes a part where the next one belongs.", "WIRE-39") { peer, call in
            let file = try File(call.stagingPath, O_WRONLY)
            try file.write(Array(peer.targetContents[call.range]), at: call.range.upperBound)
            try peer.answer(call, item: peer.target)
        },
        part("part-cuts-the-file", "Cuts the file off where a part ends.", "WIRE-39") { peer, call in
            try peer.fill(call, peer.targetContents, only: call.range)
            truncate(call.stagingPath, off_t(call.range.upperBound))
            try peer.answer(call, item: peer.target)
        },
        part("part-lengthens-the-file", "Writes behind the end of the document too.", "WIRE-39") { peer, call in
            try peer.fill(call, peer.targetContents, only: call.range)
            try File(call.stagingPath, O_WRONLY).write([1], at: peer.targetContents.count)
            try peer.answer(call, item: peer.target)
        },
        part("part-of-another-version", "Gives a part of contents that nobody asked for.", "WIRE-34") { peer, call in
            try peer.fill(call, peer.targetContents, only: call.range)
            var item = peer.target
            item.content = Array("another".utf8)
            try peer.answer(call, item: item)
        },
        part("part-of-another-item", "Gives a part and says that it is of another document.", "WIRE-34") { peer, call in
            try peer.fill(call, peer.targetContents, only: call.range)
            try peer.answer(call, item: peer.tree.items["good"] ?? peer.target)
        },
        part("part-of-another-size", "Gives a part, and another size for the same contents.", "WIRE-34") { peer, call in
            try peer.fill(call, peer.targetContents, only: call.range)
            var item = peer.target
            item.size += 1
            try peer.answer(call, item: item)
        },
        part("part-removes-the-file", "Removes the file that it was to fill a part of.", "WIRE-39") { peer, call in
            unlink(call.stagingPath)
            try peer.answer(call, item: peer.target)
        },
        part("part-in-another-file", "Puts another file in the place of the one to be filled.", "WIRE-39") {
            peer, call in
            unlink(call.stagingPath)
            try File(call.stagingPath, O_WRONLY | O_CREAT).write(peer.targetContents)
            try peer.answer(call, item: peer.target)
        },
        part("part-through-a-symlink", "Puts a symbolic link in the place of the file.", "WIRE-39") { peer, call in
            unlink(call.stagingPath)
            symlink("/etc/passwd", call.stagingPath)
            try peer.answer(call, item: peer.target)
        },
        part("part-still-open", "Keeps the file open for writing when all parts are there.", "WIRE-22") { peer, call in
            if peer.kept == nil { peer.kept = try File(call.stagingPath, O_WRONLY) }
            try peer.fill(call, peer.targetContents, only: call.range)
            try peer.answer(call, item: peer.target)
        },
        late("part-changed-after", "Changes a part that it has given, while others come.") { _, path in
            try File(path, O_WRONLY).write([UInt8](repeating: UInt8(ascii: "!"), count: 4096))
        },
        late("part-mapped", "Changes a part that it has given, through a mapping that it keeps.") { peer, _ in
            peer.mapping?.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "!"), count: 4096)
        },
        late("part-hole-after", "Makes a hole where it has given a part, while others come.") { peer, path in
            // Empty, as long as before, and the rest of the first part written anew.
            truncate(path, 0)
            truncate(path, off_t(peer.targetContents.count))
            let file = try File(path, O_WRONLY)
            try file.write(Array(peer.targetContents[65536..<(4 << 20)]), at: 65536)
        },
        part("part-then-death", "Dies when half of a part is there.", "WIRE-40") { peer, call in
            let half = call.range.lowerBound..<call.range.lowerBound + call.range.count / 2
            try peer.fill(call, peer.targetContents, only: half)
            OwnProcess.die(by: SIGKILL)
        },
        part("part-then-death-once", "Dies once when half of the parts are there.", "WIRE-56") { peer, call in
            let marker = peer.stateFolder + "/died"
            guard access(marker, F_OK) != 0, peer.count("part") == 3 else { return try peer.answerProperly(call) }
            _ = try File(marker, O_WRONLY | O_CREAT)
            OwnProcess.die(by: SIGKILL)
        },
        part("part-stalls", "Writes half of a part, and falls silent.", "WIRE-28") { peer, call in
            let half = call.range.lowerBound..<call.range.lowerBound + call.range.count / 2
            try peer.fill(call, peer.targetContents, only: half)
            peer.hold(call)
        },
        part("part-unknown", "Claims to give parts, and does not know the call.", "DOWN-10") { peer, call in
            try peer.fail(call, 402, "This is not known here.")
        },
        part("part-then-unknown", "Gives half of the parts, and does not know the call any more.", "DOWN-10") {
            peer, call in
            guard peer.count("part") > 2 else { return try peer.answerProperly(call) }
            try peer.fail(call, 402, "This is not known here.")
        },
        part("part-of-what-is-gone", "Has only newer contents than those of the part, which may be.", "DOWN-10") {
            peer, call in try peer.fail(call, 205, "These contents are not here any more.")
        },
        Self("part-of-exabytes", "Has a document of four exabytes, and gives what it has of it.", "WIRE-34")
            .claiming("ranges")
            .preparing { tree in
                guard var target = tree.items[PeerTree.target] else { return }
                target.size = 1 << 62
                tree.add(target)
            }
            .on({ $0.subject == PeerTree.target && ($0.kind == .startProviding || $0.kind == .provideRange) }) {
                try $0.fill($1, $0.targetContents)
                try $0.answer($1, item: $0.target)
            },
    ]

    /// As many requests for parts as a host has under way at once.
    private static let requests = 4

    /// Gives all parts, the first of them as slowly as a network does, and does something to it before it gives the others: when
    /// the host has asked for more than it has under way at once, and so has taken the first one.
    private static func late(
        _ name: String, _ summary: String, _ step: @escaping @Sendable (ProviderPeer, String) throws -> Void
    ) -> Self {
        part(name, summary, "WIRE-22") { peer, call in
            let number = peer.count("part")
            if number == 1 {
                usleep(500_000)
                if name == "part-mapped" { peer.mapping = try map(call.stagingPath) }
                return try peer.answerProperly(call)
            }
            guard number > requests else {
                peer.held.append(call)
                return peer.hold(call)
            }
            if number == requests + 1 { try step(peer, call.stagingPath) }
            for held in peer.held + [call] { try peer.answerProperly(held) }
            peer.held = []
        }
    }

    /// Maps the beginning of a file that is as long as that, so that what is stored there is written.
    private static func map(_ path: String) throws -> UnsafeMutableRawPointer? {
        let file = try File(path, O_RDWR)
        let mapping = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0)
        guard mapping != MAP_FAILED else {
            throw File.Failure(description: "“\(path)” cannot be mapped: errno \(errno)")
        }
        return mapping
    }

    /// Deviates when a part of the target is asked for, which is large.
    private static func part(
        _ name: String, _ summary: String, _ rule: String,
        _ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void
    ) -> Self {
        Self(name, summary, rule).claiming("ranges")
            .preparing { tree in
                guard let target = tree.items[PeerTree.target] else { return }
                tree.add(target, PeerTree.pattern(PeerTree.largeSize))
            }
            .on({ $0.kind == .provideRange && $0.subject == PeerTree.target }, step)
    }
}
