import DocumentClient
import DocumentModel
import Foundation
import Glibc

/// What has to hold of a host when all attacks are over.
struct HostCondition: Sendable {
    let description: CheckDescription
    let body: @Sendable (HostState) async throws -> Void
    /// What was measured for it, to be shown also when it holds.
    let figures: @Sendable (HostState) -> String

    var id: String { description.id }
    /// Whether it is judged by what a well-behaved provider does all the while.
    let needsPulse: Bool

    private init(
        _ number: Int, _ title: String, rule: String, needsPulse: Bool = false,
        figures: @escaping @Sendable (HostState) -> String = { _ in "" },
        body: @escaping @Sendable (HostState) async throws -> Void
    ) {
        description = CheckDescription(
            id: number < 10 ? "HA-RUN-00\(number)" : "HA-RUN-0\(number)", title: title, level: .must, rule: .rule(rule))
        self.needsPulse = needsPulse
        self.figures = figures
        self.body = body
    }

    /// In this order: the last one ends the host.
    static let all: [HostCondition] = [
        HostCondition(1, "The host that was attacked is still the same process", rule: "WIRE-8") { state in
            try expect(state.machine.isRunning, "The host has ended.", detail: state.machine.logTail)
            let status = try await state.machine.ask { try await $0.hostStatus() }
            try expect(status.processID, is: state.process, "Another process answers in the host's place.")
        },
        HostCondition(2, "No process that comes from the host is left", rule: "WIRE-45") { state in
            let left = state.now.providers.filter { !state.before.providers.contains($0) }
            try expect(
                left.isEmpty, "Processes that the host or its providers started are left.",
                detail: left.map { "\($0.id): \($0.words.joined(separator: " "))" }.joined(separator: "\n"))
        },
        HostCondition(3, "The host holds no more descriptors than before", rule: "WIRE-49") { state in
            let now = state.now
            try expect(
                now.descriptors <= state.before.descriptors, "The host holds more descriptors than before.",
                detail: "Before: \(state.before.descriptors)\nAfter: \(now.descriptors)\n"
                    + now.targets(notIn: state.before).joined(separator: "\n"))
            try expect(
                now.watchingDescriptors <= max(3, state.before.watchingDescriptors),
                "The host's watches on folders grow without measure.",
                detail: now.targets(notIn: state.before).joined(separator: "\n"))
            try expect(
                now.databaseDescriptors <= 24, "The host's connections to its database grow without measure.",
                detail: now.targets(notIn: state.before).joined(separator: "\n"))
        },
        HostCondition(4, "Nothing of the attacks is left in the storage root", rule: "WIRE-40") { state in
            let left = state.leftBehind
            try expect(
                left.isEmpty, "Files are left in the storage root.", detail: left.prefix(40).joined(separator: "\n"))
        },
        HostCondition(5, "Nothing was written where providers may not write", rule: "WIRE-63") { state in
            let evil = HostState.evil(below: state.machine.folder)
            try expect(evil.isEmpty, "A provider could write where it may not.", detail: evil.joined(separator: "\n"))
        },
        HostCondition(
            6, "A well-behaved provider lists, opens, changes and sends all the while, at its usual speed",
            rule: "WIRE-25", needsPulse: true,
            figures: { $0.pulse.comparison.description }
        ) { state in
            let comparison = state.pulse.comparison
            let failures = comparison.quiet.failures + comparison.attacked.failures
            try expect(
                failures.isEmpty, "The well-behaved provider could not be used.",
                detail: failures.joined(separator: "\n"))
            let problems = comparison.problems
            try expect(
                problems.isEmpty, "The well-behaved provider is served slower than without the attacks.",
                detail: (problems + [comparison.description]).joined(separator: "\n"))
        },
        HostCondition(7, "The host's log stays small, and fit to be shown", rule: "WIRE-52") { state in
            var status = stat()
            try expect(lstat(state.machine.log, &status) == 0, "The host has no log.")
            try expect(
                status.st_size < 32 << 20, "The host's log has grown without measure.",
                detail: "\(status.st_size) bytes")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: state.machine.log))
            guard let text = String(data: bytes, encoding: .utf8) else {
                throw CheckFailure("The host's log carries bytes that are no text.", detail: state.machine.logTail)
            }
            let line = text.split(separator: "\n").first { $0.unicodeScalars.contains(where: ErrorClarity.isUnfit) }
            try expect(
                line == nil, "The host's log carries characters of providers that change what a terminal shows.",
                detail: String(reflecting: line ?? ""))
        },
        HostCondition(8, "Every place for a request is free again, and nothing is claimed", rule: "WIRE-23") { state in
            let place = Location(domain: try DomainName(HostMachine.good)).appending(try ItemName("good.txt"))
            let status = try await state.machine.ask { client in
                // As many at once as a connection takes.
                try await within(
                    .seconds(10), else: CheckFailure("The host has no place for as many questions as before.")
                ) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<64 { group.addTask { _ = try await client.item(at: place) } }
                        try await group.waitForAll()
                    }
                }
                return try await client.hostStatus()
            }
            try await readAnew(state.machine)
            try expect(status.claims, is: 0, "Documents are claimed that nobody uses any more.")
            try expect(status.connections, is: 1, "Connections are counted that are gone.")
        },
        HostCondition(9, "The host's memory stays within bounds", rule: "WIRE-6") { state in
            let status = try await state.machine.ask { try await $0.hostStatus() }
            let grown = Int64(status.memory) - Int64(state.memoryBefore)
            try expect(
                grown < 512 << 20, "The host has taken much memory and keeps it.",
                detail: "Before: \(state.memoryBefore >> 20) MiB\nAfter: \(status.memory >> 20) MiB")
        },
        HostCondition(10, "The host ends in good order, with all of its providers", rule: "WIRE-51") { state in
            try await state.machine.ask { client in try await client.stopHost() }
            try expect(try await state.machine.ends(within: .seconds(20)), "The host does not end when it is told to.")
            let end = state.machine.end ?? "nothing"
            try expect(
                end == "status 0", "The host does not end in good order.", detail: "\(end)\n\(state.machine.logTail)")
            let folder = state.machine.folder
            let isEmpty = try await eventually(within: .seconds(5)) { HostFootprint.processes(below: folder).isEmpty }
            try expect(isEmpty, "Processes of providers outlive the host.")
        },
    ]

    /// Has two documents that are not here provided anew, more often than there are places for requests anywhere.
    private static func readAnew(_ machine: HostMachine) async throws {
        let top = Location(domain: try DomainName(HostMachine.good))
        try await machine.ask { client in
            try await within(.seconds(40), else: CheckFailure("Documents that are not here are not provided any more."))
            {
                for _ in 0..<40 {
                    async let good = provideAnew(top.appending(try ItemName("good.txt")), client)
                    async let target = provideAnew(top.appending(try ItemName("target.txt")), client)
                    let sizes = try await [good, target]
                    try expect(sizes, is: [5, 131_072], "A document that is provided anew is not whole.")
                }
            }
        }
    }

    /// - Returns: how many bytes it has.
    private static func provideAnew(_ place: Location, _ client: DocumentClient) async throws -> Int {
        while true {
            do {
                _ = try await client.evict(place)
                break
            } catch {
                // The end of the access before may still be on its way.
                guard error.code == .busy else { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        return try await client.coordinate(readingItemAt: place) { path, _ in
            try Data(contentsOf: URL(fileURLWithPath: path.string)).count
        }
    }
}
