import Glibc

extension HostBehaviour {
    static let ends: [HostBehaviour] = [
        Self("host-closes-without-a-word", "Closes the provider's input without a shutdown.", "WIRE-51") { host in
            try host.open()
            host.provider.closeInput()
            try host.expectGone()
        },
        Self("host-vanishes-idle", "Is killed by SIGKILL.", "WIRE-43") { host in
            try host.open()
            try host.expectService()
        }.killed(),
        Self("host-vanishes-busy", "Is killed by SIGKILL with requests open, of which it reads no answer.", "WIRE-43") {
            host in
            try host.open()
            let root = host.rootID
            for _ in 0..<20 { try host.send(host.request(.enumerate) { $0.text(1, root) }) }
        }.killed(),
        Self("host-ends-with-requests-open", "Asks, and shuts down in the same breath.", "WIRE-51") { host in
            try host.open()
            let root = host.rootID
            let frames = (0..<20).map { _ in host.item(root) }
            try host.write(frames.flatMap(\.bytes) + PeerFrame(.shutdown).bytes)
            while try host.step() {}
            for frame in frames where host.finals[frame.id]?.count != 1 {
                throw Finding("It ended without an answer to request \(frame.id).")
            }
            try host.expectEnd()
        },
        Self("host-shuts-down-twice", "Shuts down twice.", "WIRE-51") { host in
            try host.open()
            try host.write(PeerFrame(.shutdown).bytes + PeerFrame(.shutdown).bytes)
            while try host.step() {}
            try host.expectEnd()
        },
        Self("host-asks-after-the-shutdown", "Asks when it has shut down.", "WIRE-51") { host in
            try host.open()
            let frame = host.item(host.rootID)
            try host.write(PeerFrame(.shutdown).bytes + frame.bytes)
            while try host.step() {}
            guard host.finals[frame.id]?.first?.kind != .answer else {
                throw Finding("It does what was asked after the shutdown.")
            }
            try host.expectEnd()
        },
        Self("host-cut-within-a-frame", "Ends within a frame.", "WIRE-7") { host in
            try host.open()
            try host.write([100, 8, 1, 34])
            host.provider.closeInput()
            try host.expectGone()
        },
    ]

    static let stagings: [HostBehaviour] = [
        Self("host-takes-the-staging-file-away", "Removes the staging file before it is filled.", "WIRE-36") { host in
            try host.open()
            let (frame, path) = try host.providing(try host.someDocument())
            unlink(path)
            guard try host.final(of: frame).kind == .failure else { throw Finding("It provided into nowhere.") }
            guard access(path, F_OK) != 0 else { throw Finding("It makes the file anew that was taken away.") }
            try host.expectService()
            try host.close()
        },
        Self("host-takes-the-staging-folder-away", "Removes the whole staging folder.", "WIRE-36") { host in
            try host.open()
            let (frame, path) = try host.providing(try host.someDocument())
            unlink(path)
            rmdir("\(host.folder)/staging")
            guard try host.final(of: frame).kind == .failure else { throw Finding("It provided into nowhere.") }
            try host.expectService()
            try host.close()
        },
        Self("host-has-a-full-disk", "Has no room for the contents.", "WIRE-40") { host in
            try host.open()
            let id = try host.someDocument()
            // Whatever is written there meets a full disk.
            let frame = host.request(.startProviding) {
                $0.text(1, id); $0.text(2, "/dev/full")
            }
            guard try host.final(of: frame).kind == .failure else { throw Finding("It says that a full disk took it.") }
            try host.expectService()
            try host.close()
        },
        Self("host-names-a-place-outside", "Names a staging file that lies outside of the staging folder.", "WIRE-36") {
            host in
            try host.open()
            let path = "\(host.folder)/outside"
            let id = try host.someDocument()
            let frame = host.request(.startProviding) {
                $0.text(1, id); $0.text(2, path)
            }
            guard try host.final(of: frame).kind == .failure else { throw Finding("It provided into nowhere.") }
            guard access(path, F_OK) != 0 else { throw Finding("It makes a file where none was.") }
            try host.expectService()
            try host.close()
        },
        Self("host-cancels-contents", "Cancels while contents are provided.", "WIRE-22") { host in
            try host.open()
            let id = try host.someDocument()
            for _ in 0..<10 {
                let (frame, _) = try host.providing(id)
                try host.write(frame.bytes + PeerFrame(id: frame.id, .cancel).bytes)
                try host.final(of: frame.id)
            }
            try host.expectService()
            try host.close()
        },
    ]
}
