import DocentCommands
import DocumentModel
import Testing

/// What people read of a provider's failure.
@Suite struct FailureListingTests {
    private func text(_ bad: PostMortem.BadBytes?) -> String {
        var record = PostMortem(
            time: 1_763_696_645, provider: "org.example.photos", domain: "work", version: "1", program: "/p", host: "h",
            session: "s", stage: .serving, summary: "It could not go on.", code: "protocolViolation", causes: [])
        record.badBytes = bad
        record.framesReceivedInAll = 2
        return FailureListing.text(record, path: "/r.json")
    }

    @Test("A process that ran on after what it did has no end")
    func runningOn() {
        var record = PostMortem(
            time: 1_763_696_645, provider: "org.example.photos", domain: "work", version: "1", program: "/p", host: "h",
            session: "s", stage: .serving, summary: "It was wrong.", code: "contractBroken", causes: [])
        record.process = PostMortem.Process(
            id: 7, lived: 2, exitStatus: nil, signal: nil, signalName: nil, wasForced: false, usage: nil)
        #expect(FailureListing.text(record, path: "/r.json").contains("none: it ran on"))
    }

    @Test("The listing does not advise to ask for itself")
    func advice() {
        var record = PostMortem(
            time: 1_763_696_645, provider: "org.example.photos", domain: "work", version: "1", program: "/p", host: "h",
            session: "s", stage: .handshake,
            summary: "It exited. “docent provider show org.example.photos --last-failure” says more.",
            code: "providerUnavailable", causes: [])
        #expect(FailureListing.text(record, path: "/r.json").hasPrefix("It exited.\n"))
        #expect(FailureListing.text(record, path: "/r.json").contains("or wait for something"))
        record.process = PostMortem.Process(
            id: 7, lived: 2, exitStatus: 3, signal: nil, signalName: nil, wasForced: false, usage: nil)
        let text = FailureListing.text(record, path: "/r.json")
        #expect(text.contains("it may not be a provider") && !text.contains("wait for something"))
    }

    private let guess = "prints to standard output"

    @Test("Rule 7: a stray print is suspected where the bytes read like one, and nowhere else")
    func guesses() {
        let stalled = PostMortem.BadBytes(
            problem: "It did not finish a frame within 30 s.", offset: 0, hex: "64 08 01", text: "d",
            looksLikeText: false)
        #expect(!text(stalled).contains(guess))
        #expect(text(stalled).contains("as bytes: 64 08 01"))
        let printed = PostMortem.BadBytes(
            problem: "A frame is no message of the protocol.", offset: 512, hex: "77 61 72 6E", text: "warn",
            looksLikeText: true)
        #expect(text(printed).contains(guess))
        #expect(!text(nil).contains(guess))
    }
}
