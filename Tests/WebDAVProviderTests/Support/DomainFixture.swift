import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import WebDAVProvider

/// A domain with a staging folder, and a host that counts.
struct DomainFixture: Sendable {
    let domain: WebDAVDomain
    let log: LogLines
    let reachable: Counter
    let changes: Counter
    private let folder: FilePath

    /// - Parameters:
    ///   - guarantee: what the server is known to guarantee; nil to read only.
    ///   - state: the provider's state; nil for none.
    ///   - board: told what people are told of the domain.
    ///   - transport: the way to the server; nil for connections by HTTP.
    ///   - adjust: changes settings and times, which are short here.
    static func with<Result>(
        url: String, writing guarantee: Guarantee? = nil, hasExactTags: Bool = false, state: FilePath? = nil,
        board: DomainBoard? = nil, transport: (any ServerTransport)? = nil,
        adjust: (inout WebDAVSettings, inout Timing) throws -> Void = { _, _ in },
        body: (DomainFixture) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        var settings = WebDAVSettings(address: try ServerAddress(url))
        var timing = Timing()
        timing.retrying = RetryPlan.Limits(attempts: 3, firstPause: .milliseconds(1), longestPause: .milliseconds(5))
        timing.settling = .zero
        timing.firstLook = .milliseconds(5)
        timing.longestLook = .milliseconds(20)
        try adjust(&settings, &timing)
        let (log, reachable, changes) = (LogLines(), Counter(), Counter())
        var gate: WriteGate?
        if let guarantee {
            var certificate = Certificate(subject: "test", findings: ProbeFindings())
            (certificate.guarantee, certificate.hasExactTags) = (guarantee, hasExactTags)
            gate = WriteGate(settings, known: certificate)
        }
        let domain = try WebDAVDomain(
            settings, gate: gate, ledger: WriteLedger(in: state, logger: log.logger),
            board: board, logger: log.logger, timing: timing, transport: transport,
            signalReachable: { reachable.increase() }, signalChanges: { changes.increase() })
        let fixture = DomainFixture(
            domain: domain, log: log, reachable: reachable, changes: changes, folder: folder)
        do {
            let result = try await body(fixture)
            await domain.close()
            return result
        } catch {
            await domain.close()
            throw error
        }
    }

    struct Provided: Sendable {
        var item: Item
        var contents: [UInt8]
        var text: String { String(decoding: contents, as: UTF8.self) }
    }

    func provide(
        _ id: String, version: [UInt8] = [], transfer: Transfer = Transfer()
    ) async throws -> Provided {
        let file = try newStagingFile()
        let item = try await domain.provide(
            try ItemIdentifier(id), at: file, contentVersion: version, transfer)
        return Provided(item: item, contents: try Self.read(file))
    }

    func newStagingFile() throws -> FilePath {
        let file = folder.appending("staging-\(UInt64.random(in: 0 ... .max))")
        try TemporaryFile.write("", to: file)
        return file
    }

    /// All names of a folder, page by page.
    func names(in id: ItemIdentifier = .root, count: Int = 100) async throws -> [String] {
        var names: [String] = []
        var token: PageToken?
        repeat {
            let page = try await domain.items(in: id, page: token, suggestedCount: count)
            #expect(page.items.count <= count)
            names += page.items.compactMap { $0.name?.rawValue }
            token = page.next
        } while token != nil
        return names
    }

    static func read(_ path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
        return try file.closeAfter {
            var bytes: [UInt8] = []
            while true {
                let chunk = try [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                if chunk.isEmpty { return bytes }
                bytes += chunk
            }
        }
    }
}

/// Waits until something holds; fails after half a minute.
func eventually(_ holds: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while !(try await holds()) {
        guard ContinuousClock.now < end else { throw Errno.timedOut }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// The error that a body throws.
func failure<Result>(_ body: () async throws -> Result) async -> DocumentError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? DocumentError
    }
}

final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increase() { count.withLock { $0 += 1 } }
}

final class Flag: Sendable {
    private let flag: Mutex<Bool>
    init(_ value: Bool) { flag = Mutex(value) }
    var value: Bool { flag.withLock { $0 } }
    func set(_ value: Bool) { flag.withLock { $0 = value } }
}

/// The progress of a transfer.
final class ProgressRecord: Sendable {
    private let values = Mutex<[UInt64]>([])
    var done: [UInt64] { values.withLock { $0 } }
    func add(_ progress: TransferProgress?) {
        if let progress { values.withLock { $0.append(progress.done) } }
    }
}

/// What was logged.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }

    private struct Handler: LogHandler {
        let record: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.lines.withLock { $0.append("\(event.level): \(event.message) \(event.metadata?.description ?? "")") }
        }
    }
}
