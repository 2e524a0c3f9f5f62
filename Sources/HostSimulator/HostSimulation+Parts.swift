import DocumentHost
import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage

/// Large documents, which come part by part (DOWN-10).
extension HostSimulation {
    /// Contents of one of a few sizes: what was mixed of two is seen by nothing else.
    func makeLarge(_ step: HostScenario.Step) -> (number: Int, bytes: [UInt8]) {
        ledger.make(total: 20_000 + step.other % 2 * 5_000)
    }

    /// Somebody reads a document while it comes, here and there: all that is read is of the same contents.
    func readComing(_ place: Location, _ step: HostScenario.Step, _ host: DocumentHost) async throws {
        let tool = host.connect(tool: "reader")
        defer { host.disconnect(tool) }
        var request = AccessRequest(location: place, intent: .reading)
        request.readingOptions = .asItComes
        let access = try await host.beginAccess(request, for: tool)
        guard let item = access.items.first else { return }
        let file = asPerson { Glibc.open(item.path, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return }
        defer { asPerson { _ = close(file) } }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > 0 else { return }
        let size = Int64(status.st_size)
        var possible = Array(ledger.entries.indices)
        var possibleTorn = torn
        for number in 0..<4 {
            let begin = Int64((step.pick * 7 + number * 13_577) % Int(size))
            let range = begin..<min(begin + 3_000, size)
            try await host.awaitContents(range, of: access.number, for: tool)
            // What was open is of another life by then.
            guard living.contains(where: { $0.host === host }) else { return }
            let bytes = asPerson { Self.bytes(range, of: file) }
            possible = possible.filter { ledger.has(bytes, at: Int(begin), in: $0) }
            possibleTorn = possibleTorn.filter { ContentsLedger.has(bytes, at: Int(begin), in: $0) }
            if possible.isEmpty, possibleTorn.isEmpty {
                return complain("\(place) is read mixed, at byte \(begin) of \(size)")
            }
        }
        note("a person has read of \(possible) at \(place)")
        try await host.endAccess(access.number, of: tool)
    }

    private static func bytes(_ range: Range<Int64>, of file: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(range.upperBound - range.lowerBound)) { buffer, count in
            count = max(pread(file, buffer.baseAddress, buffer.count, off_t(range.lowerBound)), 0)
        }
    }

    /// Somebody wants a document, and soon not any more; or others change it meanwhile.
    func giveUpComing(_ document: ItemStatus, _ step: HostScenario.Step, _ host: DocumentHost) async throws {
        guard let life = living.first(where: { $0.host === host }) else { return }
        let download = Task(executorPreference: life.loop) { try await host.download(document.location) }
        await life.loop.pause(.milliseconds(20 + step.other % 300))
        if step.pick % 3 == 0 { download.cancel() } else { try editThere(document.item.id, step) }
        try await download.value
    }
}

extension HostScenario {
    /// Small enough that documents of some thousand bytes come in several parts.
    var parts: PartwiseFetch.Limits {
        var parts = PartwiseFetch.Limits()
        guard givesParts else { return parts }
        (parts.smallest, parts.partSize) = (4_000, seed % 2 == 0 ? 1_000 : 4_096)
        (parts.firstRun, parts.longestRun) = (parts.partSize, 4 * parts.partSize)
        (parts.requests, parts.moreRequests) = (1 + Int(seed / 2 % 3), 1)
        // In some runs all comes fast, and is not read again.
        if seed / 8 % 4 == 0 { parts.fast = 1 }
        return parts
    }
}
