import DocumentModel
import Synchronization
import Testing

@testable import DocumentHost

@Suite(.timeLimit(.minutes(1))) struct SignInPromptsTests {
    private let prompts = SignInPrompts()
    private let prompt = Prompt(message: "A code was sent.", fields: [Prompt.Field(key: "code", label: "The code")])

    private func domain() throws -> DomainName { try DomainName("work") }

    private func code(_ body: () async throws -> some Any) async -> DocumentError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    @Test("PICK-18: nobody is asked who is not signing in to that domain just now")
    func nobody() async throws {
        let (work, other) = (try domain(), try DomainName("other"))
        #expect(await code { try await prompts.ask(prompt, of: work, for: "P") } == .notAuthenticated)
        prompts.begin(other) { _, _ in ["code": "1"] }
        #expect(await code { try await prompts.ask(prompt, of: work, for: "P") } == .notAuthenticated)
        #expect(try await prompts.ask(prompt, of: other, for: "P") == ["code": "1"])
        prompts.end(other)
        #expect(await code { try await prompts.ask(prompt, of: other, for: "P") } == .notAuthenticated)
    }

    @Test("a provider gets what it asked for and nothing else; what is not answered is no sign-in")
    func answers() async throws {
        let work = try domain()
        prompts.begin(work) { prompt, provider in ["code": "\(provider): \(prompt.message)", "password": "x"] }
        #expect(try await prompts.ask(prompt, of: work, for: "P") == ["code": "P: A code was sent."])
        prompts.begin(work) { _, _ throws(DocumentError) in throw DocumentError(.cancelled, "Given up.") }
        #expect(await code { try await prompts.ask(prompt, of: work, for: "P") } == .notAuthenticated)
    }

    @Test("one prompt at a time, and not for ever")
    func limits() async throws {
        let work = try domain()
        let prompts = prompts
        let prompt = prompt
        prompts.begin(work) { _, _ throws(DocumentError) in
            do throws(DocumentError) {
                _ = try await prompts.ask(prompt, of: work, for: "P")
            } catch {
                return ["code": "\(error.code)"]
            }
            return [:]
        }
        #expect(try await prompts.ask(prompt, of: work, for: "P") == ["code": "\(DocumentError.Code.busy)"])
        for _ in 1..<20 { _ = try await prompts.ask(prompt, of: work, for: "P") }
        #expect(await code { try await prompts.ask(prompt, of: work, for: "P") } == .busy)
    }
}
