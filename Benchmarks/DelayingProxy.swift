import Glibc
import Synchronization
import SystemPackage

/// A way to a server on this machine that takes as long as one over a network: what is sent there comes later.
struct DelayingProxy {
    let port: UInt16
    private let peer: PeerProcess
    private let record: FilePath

    /// - Parameters:
    ///   - delay: of each request, in milliseconds.
    ///   - folder: for its record.
    init(to target: UInt16, delay: Int, folder: FilePath) throws {
        port = try LoopbackPort.free()
        record = folder.appending("most-in-flight-\(port)")
        peer = try PeerProcess.start("delay \(port) \(target) \(delay) \(record)")
        try LoopbackPort.wait(port)
    }

    /// How many requests were on their way at once, at most.
    func mostInFlight() throws -> Int {
        let file = try FileDescriptor.open(record, .readOnly)
        return try file.closeAfter {
            try withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) {
                let count = try file.read(into: $0)
                return Int(String(decoding: $0.prefix(count), as: UTF8.self)) ?? 0
            }
        }
    }

    func stop() {
        peer.hangUp()
        peer.wait()
    }

    // MARK: In the peer

    private final class Traffic: Sendable {
        private let counts = Mutex((now: 0, most: 0))
        private let record: FilePath

        init(_ record: FilePath) { self.record = record }

        func begins() {
            counts.withLock { counts in
                counts.now += 1
                guard counts.now > counts.most else { return }
                counts.most = counts.now
                try? MountedFolder.write(Array("\(counts.most)".utf8), to: record)
            }
        }

        func ends() { counts.withLock { $0.now -= 1 } }
    }

    /// Until standard input ends.
    static func serve(_ arguments: [String]) throws {
        guard arguments.count == 4, let port = UInt16(arguments[0]), let target = UInt16(arguments[1]),
            let delay = UInt32(arguments[2])
        else { exit(2) }
        let traffic = Traffic(FilePath(arguments[3]))
        let listener = try LoopbackPort.listen(port)
        thread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { continue }
                guard let server = try? LoopbackPort.connect(target) else {
                    close(client)
                    continue
                }
                relay(client, server, delay, traffic)
            }
        }
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
        exit(0)
    }

    private static func relay(_ client: Int32, _ server: Int32, _ delay: UInt32, _ traffic: Traffic) {
        // Whether an answer is waited for; one request after the other goes over a connection.
        let shared = Shared()
        thread {
            pump(from: client, to: server) {
                guard !shared.isWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return }
                traffic.begins()
                usleep(delay * 1000)
            }
        }
        thread {
            pump(from: server, to: client) {
                if shared.isWaiting.exchange(false, ordering: .acquiringAndReleasing) { traffic.ends() }
            }
        }
    }

    private final class Shared: Sendable {
        let isWaiting = Atomic(false)
    }

    private static func pump(from source: Int32, to target: Int32, _ arrived: () -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            while true {
                let count = read(source, buffer.baseAddress, buffer.count)
                guard count > 0 else { break }
                arrived()
                var sent = 0
                while sent < count {
                    let next = write(target, buffer.baseAddress?.advanced(by: sent), count - sent)
                    guard next > 0 else { break }
                    sent += next
                }
                guard sent == count else { break }
            }
        }
        // The other direction ends with this one.
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        guard
            pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, box.toOpaque()) == 0
        else { return box.release() }
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
