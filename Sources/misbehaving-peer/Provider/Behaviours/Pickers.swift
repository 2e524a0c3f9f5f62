import Glibc

/// What can go wrong while somebody looks for a place in the domain.
extension ProviderBehaviour {
    static let pickers: [ProviderBehaviour] = [
        Self("picker-message-moves-the-cursor", "Has a message that rewrites the terminal.", "PICK-7").presenting {
            $0.text(1, "\u{1B}[2J\u{1B}]0;owned\u{7}\u{9B}31mAll is well.\r\u{202E}txt.exe")
        },
        Self("picker-message-endless", "Has a message of a megabyte.", "PICK-7").presenting {
            $0.text(1, String(repeating: "A very long story. ", count: 55_000))
        },
        Self("picker-message-not-text", "Has a message that is not UTF-8.", "WIRE-8").presenting {
            $0.bytes(1, [0x41, 0xFF, 0xFE, 0xC0, 0x80])
        },
        Self("picker-of-many-sections", "Has a hundred thousand sections.", "PICK-7").presenting {
            for number in 0..<100_000 { $0.section("Section \(number)", "folder") }
        },
        Self("picker-title-moves-the-cursor", "Has a section whose title rewrites the terminal.", "PICK-7").presenting {
            $0.section("\u{1B}[2J\u{202E}evil", "folder")
        },
        Self("picker-title-empty", "Has a section without a title.", "PICK-7").presenting { $0.section("", "folder") },
        Self("picker-leads-nowhere", "Has sections that lead to what is not there.", "PICK-15").presenting {
            for id in ["nobody", "../../../etc", "target", "/etc/passwd"] { $0.section("Nowhere", id) }
        },
        Self("picker-of-long-identifiers", "Has a section with an identifier of 4,097 bytes.", "ID-9").presenting {
            $0.section("Long", String(repeating: "i", count: 4097))
        },
        Self("picker-of-many-columns", "Names a hundred thousand columns, unknown ones too.", "PICK-7").presenting {
            for number in 0..<100_000 { $0.number(3, UInt64(number % 99)) }
        },
        Self("picker-starts-outside", "Begins in a folder that is none of its own.", "PICK-15").presenting {
            $0.text(4, "../../../etc")
        },
        Self("picker-starts-in-a-document", "Begins in a document.", "PICK-15").presenting {
            $0.text(4, PeerTree.target)
        },
        Self("picker-never-prepares", "Never answers a preparation.", "WIRE-28").on(.preparePicker) { peer, call in
            peer.hold(call)
        },
        Self("picker-prepares-late", "Prepares when it was given up, which it may.", "WIRE-22")
            .on(.preparePicker) { peer, call in peer.hold(call) }
            .onCancel { peer, id in
                usleep(300_000)
                peer.open.remove(id)
                try peer.pipe.send(.answer(id, peer.answerBody(.preparePicker) { $0.text(1, "At last.") }))
            },
        Self("picker-dies-preparing", "Dies over a preparation.", "WIRE-56").on(.preparePicker) { _, _ in
            OwnProcess.die(by: SIGKILL)
        },
        Self("picker-prepares-another-kind", "Answers a preparation as if it had been a choice.", "WIRE-20")
            .on(.preparePicker) { peer, call in
                try peer.pipe.send(.answer(call.id, peer.answerBody(.validateChoice) { _ in }))
            },
        Self("picker-refuses-to-prepare", "Refuses to be shown.", "PICK-18").on(.preparePicker) { peer, call in
            try peer.fail(call, 101, "Sign in first.")
        },
        Self("choice-moves-the-cursor", "Refuses a choice with words that rewrite the terminal.", "WIRE-29")
            .on(.validateChoice) { peer, call in
                try peer.fail(call, 406, "\u{1B}[2J\u{9B}31mThis one is not for you.\r\u{202E}txt.exe\u{0}")
            },
        Self("choice-never", "Never answers what was chosen.", "WIRE-28").on(.validateChoice) { peer, call in
            peer.hold(call)
        },
        Self("choice-dies", "Dies over what was chosen.", "WIRE-56").on(.validateChoice) { _, _ in
            OwnProcess.die(by: SIGSEGV)
        },
        Self("choice-reserved-code", "Refuses a choice with a code that only the host may use.", "WIRE-31")
            .on(.validateChoice) { peer, call in try peer.fail(call, 501, "I died.") },
        Self("choice-answers-twice", "Answers what was chosen twice.", "WIRE-21").on(.validateChoice) { peer, call in
            try peer.done(call)
            try peer.done(call)
        },
        Self("picker-end-never", "Never answers the end of a session.", "WIRE-28").on(.endPicker) { peer, call in
            peer.hold(call)
        },
        Self("picker-end-dies", "Dies over the end of a session.", "WIRE-56").on(.endPicker) { _, _ in
            OwnProcess.die(by: SIGKILL)
        },
        Self("picker-end-fails", "Fails to end a session.", "PICK-7").on(.endPicker) { peer, call in
            try peer.fail(call, 301, "It goes on.")
        },
    ]

    /// A preparation that is answered so.
    private func presenting(_ build: @escaping @Sendable (inout MessageWriter) -> Void) -> Self {
        on(.preparePicker) { peer, call in try peer.answer(call, build) }
    }

    private func on(
        _ kind: PeerCall.Kind, _ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void
    ) -> Self {
        claiming("modifying", "picker").on({ $0.kind == kind }, step)
    }
}

extension MessageWriter {
    /// A `PickerSection` of a `PreparePickerAnswer`.
    fileprivate mutating func section(_ title: String, _ folder: String) {
        message(2) {
            $0.text(1, title)
            $0.text(2, folder)
        }
    }
}
