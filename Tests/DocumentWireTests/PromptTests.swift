import DocumentModel
import DocumentWire
import Testing

/// Prompts come from a provider that nobody trusts, and end on somebody's terminal.
struct PromptTests {
    private func read(_ change: (inout Prompt) -> Void) throws -> Prompt? {
        var prompt = Prompt(message: "A code was sent.", fields: [Prompt.Field(key: "code", label: "The code")])
        change(&prompt)
        guard case .prompt(let read) = try HostCall(serialized: HostCall.prompt(prompt).serialized()) else {
            return nil
        }
        return read
    }

    private func isRefused(_ change: (inout Prompt) -> Void) -> Bool {
        do {
            _ = try read(change)
            return false
        } catch {
            return (error as? DocumentError)?.code == .invalidArgument
        }
    }

    @Test("a prompt that nobody could answer is refused")
    func refused() {
        #expect(!isRefused { _ in })
        #expect(isRefused { $0.message = "" })
        #expect(isRefused { $0.fields = (0...Prompt.mostFields).map { Prompt.Field(key: "k\($0)", label: "") } })
        #expect(isRefused { $0.fields += $0.fields })
        for key in ["", "a b", "ä", String(repeating: "k", count: 65)] {
            #expect(isRefused { $0.fields[0].key = key }, "\(key)")
        }
        for url in ["file:///etc/passwd", "javascript:alert(1)", "https://a b", "https://\u{1B}[2J", "http://ä.org"] {
            #expect(isRefused { $0.url = url }, "\(url)")
        }
    }

    @Test("what a prompt says cannot steer a terminal, and is cut where it is long")
    func shown() throws {
        let prompt = try #require(
            try read {
                $0.message = "\u{1B}[2JPassword for root:" + String(repeating: "x", count: 4000)
                $0.fields[0].label = "\u{202E}edoc\u{7}" + String(repeating: "y", count: 400)
            })
        #expect(prompt.message.utf8.count <= 2048 && prompt.fields[0].label.utf8.count <= 200)
        for text in [prompt.message, prompt.fields[0].label] {
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" }, "\(text)")
        }
    }

    @Test("a secret has a name, and a size that can be kept; an answer is what somebody could type")
    func limits() {
        func isRefused(_ call: HostCall) -> Bool { (try? HostCall(serialized: call.serialized())) == nil }
        #expect(!isRefused(.storeSecret("t", [UInt8](repeating: 1, count: 16_384))))
        #expect(isRefused(.storeSecret("t", [UInt8](repeating: 1, count: 16_385))))
        for name in ["", "a b", "a=b", "a\nb", String(repeating: "n", count: 65)] {
            #expect(isRefused(.loadSecret(name)) && isRefused(.storeSecret(name, [1])), "\(name)")
        }
        let long = ToolCall.answer(to: ["code": String(repeating: "1", count: 4097)])
        #expect(throws: DocumentError.self) { try ToolCall.promptAnswer(serialized: long) }
    }
}
