import Glibc

/// Staging files that are not what was promised.
extension ProviderBehaviour {
    static let contents: [ProviderBehaviour] = [
        Self("content-short", "Provides fewer bytes than it says.", "WIRE-40").onTarget { peer, call in
            try peer.fill(call, Array(peer.targetContents.dropLast(1000)))
            try peer.answer(call, item: peer.target)
        },
        Self("content-empty", "Provides nothing and says that it is all.", "WIRE-40").onTarget { peer, call in
            try peer.answer(call, item: peer.target)
        },
        Self("content-long", "Provides more bytes than it says.", "WIRE-36").onTarget { peer, call in
            try peer.fill(call, peer.targetContents + [1])
            try peer.answer(call, item: peer.target)
        },
        Self("content-hole", "Leaves a hole in the contents.", "WIRE-39").onTarget { peer, call in
            let file = try File(call.stagingPath, O_WRONLY)
            try file.write(Array(peer.targetContents.prefix(4096)))
            lseek(file.descriptor, 65536, SEEK_SET)
            try file.write(Array(peer.targetContents.dropFirst(65536)))
            try peer.answer(call, item: peer.target)
        },
        Self("content-of-a-petabyte", "Provides a petabyte, all of it hole.", "WIRE-39").onTarget { peer, call in
            let file = try File(call.stagingPath, O_WRONLY)
            // What the file system takes: a petabyte, or a terabyte.
            var item = peer.target
            for size in [1 << 50, 1 << 40, 1 << 32] where ftruncate(file.descriptor, size) == 0 {
                item.size = Int64(size)
                break
            }
            try peer.answer(call, item: item)
        },
        Self("content-half-then-failure", "Leaves half of the contents and fails.", "WIRE-40").onTarget { peer, call in
            try peer.fill(call, Array(peer.targetContents.prefix(5000)))
            try peer.fail(call, 102, "The server is gone.")
        },
        Self("content-half-then-death", "Dies when half of the contents are there.", "WIRE-40").onTarget { peer, call in
            try peer.fill(call, Array(peer.targetContents.prefix(5000)))
            OwnProcess.die(by: SIGKILL)
        },
        Self(
            "content-half-then-death-once", "Dies once when half of the contents are there, and is well after that.",
            "WIRE-56"
        ).onTarget { peer, call in
            let marker = peer.stateFolder + "/died"
            guard access(marker, F_OK) != 0 else { return try peer.answerProperly(call) }
            _ = try File(marker, O_WRONLY | O_CREAT)
            try peer.fill(call, Array(peer.targetContents.prefix(5000)))
            OwnProcess.die(by: SIGKILL)
        },
        Self("content-stalls", "Provides half of the contents, and falls silent.", "WIRE-28").onTarget { peer, call in
            try peer.fill(call, Array(peer.targetContents.prefix(5000)))
            peer.hold(call)
        },
        Self(
            "content-drips-and-stalls", "Provides a byte a second for longer than it may be silent, and falls silent.",
            "WIRE-28"
        ).onTarget { peer, call in
            try peer.drip(call, count: 6, every: 1_000_000)
            peer.hold(call)
        },
        Self("content-drips-too-slowly", "Provides a byte, and the next one when nobody waits any more.", "WIRE-28")
            .onTarget { peer, call in
                try peer.drip(call, count: 2, every: 6_000_000)
                peer.hold(call)
            },
        Self("content-drips-for-ever", "Provides a byte now and then, and never comes to an end.", "WIRE-28").onTarget {
            peer, call in
            while true { try peer.drip(call, count: 1, every: 300_000) }
        },
        Self("content-comes-slowly", "Takes longer for all of it than it may be silent, which it may.", "WIRE-28")
            .onTarget { peer, call in
                let file = try File(call.stagingPath, O_WRONLY)
                for start in stride(from: 0, to: peer.targetContents.count, by: 16_384) {
                    try file.write(Array(peer.targetContents[start...].prefix(16_384)))
                    usleep(800_000)
                }
                try peer.answer(call, item: peer.target)
            },
        Self("content-removed", "Removes the staging file.", "WIRE-39").replacingStaging { _ in },
        Self("content-replaced", "Puts another file in the place of the staging file.", "WIRE-39").replacingStaging {
            path in
            try File(path, O_WRONLY | O_CREAT).write(PeerTree.pattern(PeerTree.targetSize))
        },
        Self("content-is-a-symlink", "Puts a symbolic link in the place of the staging file.", "WIRE-39")
            .replacingStaging { path in symlink("/etc/passwd", path) },
        Self("content-is-a-dangling-symlink", "Puts a link to nothing in the place of the staging file.", "WIRE-39")
            .replacingStaging { path in symlink(path + "-not-there", path) },
        Self("content-is-a-pipe", "Puts a named pipe in the place of the staging file.", "WIRE-39").replacingStaging {
            path in mkfifo(path, 0o600)
        },
        Self("content-is-a-device", "Puts a device, or else a socket, in the place of the staging file.", "WIRE-39")
            .replacingStaging { path in
                // The device zero, which has no end; only root can make one.
                if mknod(path, S_IFCHR | 0o600, 1 << 8 | 5) != 0 { try Socket.bind(path) }
            },
        Self("content-is-a-socket", "Puts a socket in the place of the staging file.", "WIRE-39").replacingStaging {
            path in try Socket.bind(path)
        },
        Self("content-is-a-folder", "Puts a folder in the place of the staging file.", "WIRE-39").replacingStaging {
            path in
            mkdir(path, 0o700)
            try File(path + "/inside", O_WRONLY | O_CREAT).write([1])
        },
        Self("content-has-two-names", "Gives the staging file a second name.", "WIRE-39").onTarget { peer, call in
            try peer.fill(call, peer.targetContents)
            if link(call.stagingPath, call.stagingPath + "-second") != 0 {
                _ = link(call.stagingPath, peer.stateFolder + "/second")
            }
            try peer.answer(call, item: peer.target)
        },
        Self("content-without-permissions", "Takes all permissions off the staging file.", "WIRE-39").onTarget {
            peer, call in
            try peer.fill(call, peer.targetContents)
            chmod(call.stagingPath, 0)
            try peer.answer(call, item: peer.target)
        },
        Self("content-set-user-id", "Makes the staging file a program with its owner's rights.", "WIRE-39").onTarget {
            peer, call in
            try peer.fill(call, peer.targetContents)
            chmod(call.stagingPath, 0o6777)
            try peer.answer(call, item: peer.target)
        },
        Self("content-still-open", "Answers while it still writes.", "WIRE-22").onTarget { peer, call in
            let file = try File(call.stagingPath, O_WRONLY)
            try file.write(peer.targetContents)
            peer.kept = file
            try peer.answer(call, item: peer.target)
        },
        Self("content-mapped", "Answers while it has the file mapped for writing.", "WIRE-22").onTarget { peer, call in
            do {
                let file = try File(call.stagingPath, O_RDWR)
                try file.write(peer.targetContents)
                _ = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0)
            }
            try peer.answer(call, item: peer.target)
        },
        Self("content-changed-after", "Opens the file again when it has answered, and writes.", "WIRE-22").onTarget {
            peer, call in
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target)
            var late: [Int32] = []
            for _ in 0..<200_000 {
                let file = open(call.stagingPath, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
                if file >= 0, late.count < 16 { late.append(file) } else if file >= 0 { close(file) }
            }
            let damage = [UInt8](repeating: UInt8(ascii: "X"), count: 4096)
            for file in late { _ = pwrite(file, damage, damage.count, 0) }
        },
        Self("content-in-the-wrong-place", "Writes beside the staging file, and above its folder.", "WIRE-39").onTarget
        {
            peer, call in
            peer.writeOutside(call)
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target)
        },
        Self(
            "content-into-the-tree", "Links the documents tree into its folder and writes through the link.", "WIRE-39"
        )
        .onTarget { peer, call in
            let way = peer.stateFolder + "/way"
            symlink(peer.storageRoot + "/documents", way)
            try? File(way + "/evil.txt", O_WRONLY | O_CREAT).write(Array("evil".utf8))
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target)
        },
        Self("content-through-a-second-name", "Gives others' files a name of its own and writes by that.", "WIRE-39")
            .onTarget { peer, call in
                let mine = peer.stateFolder + "/evil.txt"
                let others = ["/documents/good/good.txt", "/.docent/index.sqlite"].map { peer.storageRoot + $0 }
                for path in others where link(path, mine) == 0 {
                    try? File(mine, O_WRONLY | O_APPEND).write(Array("evil".utf8))
                    break
                }
                try peer.fill(call, peer.targetContents)
                try peer.answer(call, item: peer.target)
            },
        Self("content-without-a-folder", "Removes the folder of the staging file too.", "WIRE-39").onTarget {
            peer, call in
            unlink(call.stagingPath)
            rmdir(call.stagingFolder)
            try peer.answer(call, item: peer.target)
        },
        Self("content-in-a-crowd", "Leaves a thousand files beside the staging file.", "WIRE-40").onTarget {
            peer, call in
            for number in 0..<1000 {
                _ = try? File("\(call.stagingFolder)/junk-\(number)", O_WRONLY | O_CREAT)
            }
            mkdir(call.stagingFolder + "/locked", 0o700)
            _ = try? File(call.stagingFolder + "/locked/inside", O_WRONLY | O_CREAT)
            chmod(call.stagingFolder + "/locked", 0)
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target)
        },
        Self("content-in-a-locked-folder", "Takes all permissions off the staging file's folder.", "WIRE-40").onTarget {
            peer, call in
            try peer.fill(call, peer.targetContents)
            chmod(call.stagingFolder, 0)
            try peer.answer(call, item: peer.target)
        },
        Self("content-of-another-digest", "Provides contents and vouches for others.", "WIRE-36").onTarget {
            peer, call in
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target, digest: [UInt8](repeating: 7, count: 32))
        },
        Self("content-of-a-short-digest", "Vouches for contents with a digest of 31 bytes.", "WIRE-36").onTarget {
            peer, call in
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target, digest: [UInt8](repeating: 7, count: 31))
        },
        Self("content-as-a-folder", "Provides a document and says that it is a folder.", "WIRE-34").answeringTarget {
            $0.kind = PeerItem.folder
            ($0.content, $0.size) = ([], 0)
        },
        Self("content-elsewhere", "Provides a document and says that it lies in itself.", "WIRE-34").answeringTarget {
            $0.parent = $0.id
        },
        Self("content-without-version", "Provides a document without a version.", "WIRE-34").answeringTarget {
            $0.content = []
        },
        Self("content-of-negative-size", "Provides a document of minus five bytes.", "WIRE-34").answeringTarget {
            $0.size = -5
        },
        Self("content-under-an-evil-name", "Provides a document and calls it “../../evil.txt”.", "WIRE-39")
            .answeringTarget { $0.name = Array("../../evil.txt".utf8) },
        Self("content-of-size-unknown", "Provides a document and does not say how long it is, which it may.", "WIRE-36")
            .answeringTarget { $0.size = -1 },
    ]

    /// Provides the target's contents, with an answer that is changed.
    private func answeringTarget(_ change: @escaping @Sendable (inout PeerItem) -> Void) -> Self {
        onTarget { peer, call in
            try peer.fill(call, peer.targetContents)
            var item = peer.target
            change(&item)
            try peer.answer(call, item: item)
        }
    }

    /// Puts something else in the place of the staging file.
    private func replacingStaging(_ make: @escaping @Sendable (String) throws -> Void) -> Self {
        onTarget { peer, call in
            unlink(call.stagingPath)
            try? make(call.stagingPath)
            try peer.answer(call, item: peer.target)
        }
    }
}

extension ProviderPeer {
    /// Adds bytes to a staging file, one after the other.
    ///
    /// - Parameter pause: after each of them, in millionths of a second.
    fileprivate func drip(_ call: PeerCall, count: Int, every pause: UInt32) throws {
        let file = try File(call.stagingPath, O_WRONLY | O_APPEND)
        for _ in 0..<count {
            try file.write([UInt8(ascii: "a")])
            usleep(pause)
        }
    }
}

extension ProviderPeer {
    /// Writes beside a staging file, and wherever else it may not.
    func writeOutside(_ call: PeerCall) {
        let evil = Array("evil".utf8)
        for folder in [call.stagingFolder, stagingFolder, stateFolder] {
            for path in ["/../evil.txt", "/../../evil.txt", "/../../../evil.txt"] {
                try? File(folder + path, O_WRONLY | O_CREAT).write(evil)
            }
        }
        for path in [
            call.stagingPath + "-evil.txt", storageRoot + "/documents/evil.txt", storageRoot + "/evil.txt",
            "/tmp/docent-evil\(String(storageRoot.map { $0 == "/" ? "-" : $0 }))",
        ] {
            try? File(path, O_WRONLY | O_CREAT).write(evil)
        }
    }
}

extension PeerCall {
    var stagingFolder: String {
        String(stagingPath[..<(stagingPath.lastIndex(of: "/") ?? stagingPath.startIndex)])
    }
}
