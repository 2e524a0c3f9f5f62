import DocumentClient
import DocumentModel
import Foundation
import Glibc

/// One of many processes that read and write the same documents, for a time: it says what it sees that must not be.
///
/// A document says a number, a thousand times. Who writes it, writes the next number. A reader that sees two numbers has
/// read a torn one; a number that two have written is a lost write.
struct Crowd {
    let client: DocumentClient
    let domain: String
    let documents: Int
    /// Where each acknowledged write is noted: "4 17" for number 17 in document 4.
    let log: Int32
    /// Those who may be killed put a new file in the old one's place; the others write into it, half by half.
    let isMortal: Bool
    let folder: String
    var random: Random
    /// The highest number that was seen in each document.
    var seen: [Int: Int] = [:]

    static let repetitions = 1000

    static func text(_ number: Int) -> [UInt8] {
        let digits = String(number)
        let line = Array((String(repeating: "0", count: 9 - digits.count) + digits + "\n").utf8)
        return Array(repeatElement(line, count: repetitions).joined())
    }

    mutating func run(for duration: Duration) async throws {
        let coordinator = FileCoordinator(client)
        let deadline = ContinuousClock.now + duration
        var (reads, writes) = (0, 0)
        while ContinuousClock.now < deadline {
            let one = Int(random.next() % UInt64(documents))
            switch random.next() % 8 {
            case 0...4:
                let number = try await coordinator.coordinate(readingItemAt: location(one)) { path, _ in
                    try await read(path.string)
                }
                try see(number, in: one)
                reads += 1
            case 5...6:
                let number = try await coordinator.coordinate(writingItemAt: location(one)) { path, _ in
                    try await advance(path.string)
                }
                note(one, number)
                try see(number, in: one)
                writes += 1
            default:
                let other = (one + 1 + Int(random.next() % UInt64(documents - 1))) % documents
                let numbers = try await coordinator.coordinate(
                    writingItemAt: location(one), writingItemAt: location(other)
                ) { first, second in (try await advance(first.string), try await advance(second.string)) }
                note(one, numbers.0)
                note(other, numbers.1)
                try see(numbers.0, in: one)
                try see(numbers.1, in: other)
                writes += 2
            }
        }
        say("reads \(reads) writes \(writes)")
    }

    private func location(_ document: Int) throws -> Location { try Location("\(domain):/\(document).txt") }

    private mutating func see(_ number: Int, in document: Int) throws {
        if let before = seen[document], number < before {
            throw DocumentError(.internal, "Document \(document) went back from \(before) to \(number).")
        }
        seen[document] = number
    }

    private func note(_ document: Int, _ number: Int) {
        let line = Array("\(document) \(number)\n".utf8)
        _ = Glibc.write(log, line, line.count)
    }

    /// Half by half, with a pause, so that whoever writes meanwhile is seen.
    private func read(_ path: String) async throws -> Int {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw DocumentError(.internal, "\(path) cannot be opened: errno \(errno).") }
        defer { close(file) }
        var bytes: [UInt8] = []
        for half in 0..<2 {
            if half > 0 { await Task.yield() }
            var buffer = [UInt8](repeating: 0, count: Self.repetitions * 5)
            let count = Glibc.read(file, &buffer, buffer.count)
            bytes += buffer.prefix(max(count, 0))
        }
        guard let number = Int(String(decoding: bytes.prefix(9), as: UTF8.self)), bytes == Self.text(number) else {
            throw DocumentError(.internal, "A torn read: \(path) has \(bytes.count) bytes.")
        }
        return number
    }

    private func advance(_ path: String) async throws -> Int {
        let number = try await read(path) + 1
        let text = Self.text(number)
        let target = isMortal ? folder + "/new-\(getpid())" : path
        let file = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw DocumentError(.internal, "\(target) cannot be opened: errno \(errno).") }
        for half in 0..<2 {
            if half > 0 { await Task.yield() }
            let part = Array(text[(half * text.count / 2)..<((half + 1) * text.count / 2)])
            guard Glibc.write(file, part, part.count) == part.count else {
                throw DocumentError(.internal, "\(target) cannot be written: errno \(errno).")
            }
        }
        close(file)
        if isMortal, rename(target, path) != 0 {
            throw DocumentError(.internal, "\(path) cannot be replaced: errno \(errno).")
        }
        return number
    }

    /// Small, with a seed.
    struct Random {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
