import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage
import Testing

/// A file that nobody else has.
private func nameless() throws -> Int32 {
    let file = try FileDescriptor.open(
        "/tmp", .readWrite, options: FileDescriptor.OpenOptions(rawValue: __O_TMPFILE | O_DIRECTORY | O_CLOEXEC),
        permissions: .ownerReadWrite)
    return file.rawValue
}

/// Descriptors that come with answers, over what can pass them.
@Suite struct PassedDescriptorTests {
    private static let ends = [EndKind.memory, .socket]

    /// Answers “fail” with a failure and everything else with itself, and passes a file that holds the same.
    private let echo = Answering { body, request in
        let file = try nameless()
        request.pass(PassedDescriptor(file))
        _ = body.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        if body == Array("fail".utf8) { throw DocumentError(.noSuchItem, "There is none.") }
        return body
    }

    private func contents(_ descriptor: PassedDescriptor?) throws -> [UInt8] {
        let file = try #require(descriptor).rawValue
        var buffer = [UInt8](repeating: 0, count: 100_000)
        let count = buffer.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        return Array(buffer.prefix(max(count, 0)))
    }

    @Test("PICK-21: a descriptor comes with its own answer, among others, however large", arguments: ends)
    func order(_ kind: EndKind) async throws {
        try await ConnectionPair.with(kind, provider: echo) { pair in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let body = [UInt8]("\(number) ".utf8) + [UInt8](repeating: 7, count: number % 7 * 9_000)
                        switch number % 3 {
                        case 0:
                            let (answer, descriptor) = try await pair.host.requestPassing(body, deadline: .none)
                            #expect(answer == body)
                            #expect(try contents(descriptor) == body)
                        case 1:
                            // Nothing is passed with a failure, so that the next one gets its own.
                            await #expect(throws: DocumentError.self) {
                                _ = try await pair.host.requestPassing(Array("fail".utf8), deadline: .none)
                            }
                        default:
                            try await Task.sleep(for: .microseconds(number * 10))
                            let (_, descriptor) = try await pair.host.requestPassing(body, deadline: .none)
                            #expect(try contents(descriptor) == body)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a request that was given up does not take another one's descriptor", arguments: ends)
    func givenUp(_ kind: EndKind) async throws {
        let slow = Answering { body, request in
            let file = try nameless()
            request.pass(PassedDescriptor(file))
            _ = body.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
            // It answers although it was cancelled.
            if body == [1] { await Task { try? await Task.sleep(for: .milliseconds(450)) }.value }
            return body
        }
        try await ConnectionPair.with(kind, provider: slow) { pair in
            let given = Task { try await pair.host.requestPassing([1], deadline: .none) }
            try await Task.sleep(for: .milliseconds(50))
            given.cancel()
            async let last = given.result
            for number in UInt8(2)..<32 {
                let (_, descriptor) = try await pair.host.requestPassing([number], deadline: .none)
                #expect(try contents(descriptor) == [number])
                try await Task.sleep(for: .milliseconds(50))
            }
            // It came all the same, in the middle of the others.
            #expect(try contents(try await last.get().descriptor) == [1])
        }
    }

    @Test("over pipes nothing can be passed: the connection ends, and does not hang")
    func pipes() async throws {
        try await ConnectionPair.with(.pipes, provider: echo) { pair in
            await #expect(throws: DocumentError.self) {
                _ = try await pair.host.requestPassing([1], deadline: .total(.seconds(10)))
            }
        }
    }

    @Test("a descriptor is closed with the last who holds it, unless it was taken")
    func closing() throws {
        let file = try nameless()
        do { _ = PassedDescriptor(file) }
        #expect(fcntl(file, F_GETFD) == -1)
        let kept = try nameless()
        do { #expect(PassedDescriptor(kept).take() == kept) }
        #expect(fcntl(kept, F_GETFD) >= 0)
        close(kept)
    }
}
