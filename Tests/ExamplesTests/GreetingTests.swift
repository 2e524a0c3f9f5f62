import DocumentModel
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import SystemPackage
import Testing

/// The guide's smallest provider in Python, as any host sees it. (The Swift one is tested with the whole product.)
@Suite(.timeLimit(.minutes(1)))
struct GreetingTests {
    @Test("the guide's provider in Python has its one document, and says what it has not")
    func greeting() async throws {
        try await PythonRequirements.check()
        let executable = try BuiltProducts.executable("docent").removingLastComponent()
            .appending("providers/greeting-provider-python/greeting-provider")
        try await ChildProcess.with(executable, environment: Example.environment) { child async throws in
            let loop = EventLoop(name: "host")
            defer { loop.shutdown() }
            let end = PipeEnd(reading: child.standardOutput, writing: child.standardInput, loop: loop)
            try await ProviderTestHost.with(end: end, loop: loop, settings: .test()) { host async throws in
                try await check(host)
            }
            #expect(try await child.exitStatus(within: .seconds(10)) == 0, "\(child.errorText())")
        }
    }

    private func check(_ host: ProviderTestHost) async throws {
        guard
            case .enumerate(let page) = try await host.ask(.enumerate(container: .root, page: nil, suggestedCount: 10))
        else { return }
        let greeting = try #require(page.items.first)
        #expect(page.items.count == 1)
        #expect(try await host.ask(.item(greeting.id)) == .item(greeting))
        #expect(try await host.ask(.providePlaceholder(greeting.id)) == .providePlaceholder)
        #expect(host.placeholders == [greeting])
        #expect(try await host.ask(.pathForIdentifier(greeting.id)) == .pathForIdentifier("Hello.txt"))
        #expect(try await host.ask(.identifierForPath("Hello.txt")) == .identifierForPath(greeting.id))
        try await TemporaryFile.with(contents: "left over") { path async throws in
            let call = ProviderCall.startProviding(greeting.id, stagingPath: path.string, contentVersion: [])
            #expect(try await host.ask(call) == .startProviding(ProvidedContents(greeting)))
            #expect(try TemporaryFile.read(path) == "Hello, reader.\n")
            #expect(greeting.size == 15)
            let old = ProviderCall.startProviding(greeting.id, stagingPath: path.string, contentVersion: [9])
            await #expect { try await host.ask(old) } throws: {
                ($0 as? DocumentError)?.code == .versionNoLongerAvailable
            }
        }
        await #expect { try await host.ask(.item(ItemIdentifier("nothing"))) } throws: {
            ($0 as? DocumentError)?.code == .noSuchItem
        }
    }
}
