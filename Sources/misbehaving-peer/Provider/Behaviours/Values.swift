/// Items whose values cannot be, beside others that can.
extension ProviderBehaviour {
    static let values: [ProviderBehaviour] =
        names.map { key, sentence, name in
            Self("name-\(key)", "Lists an item \(sentence).", "CONT-12").listing { $0.name = name }
        } + [
            Self("kind-unknown", "Lists an item of a kind that nobody knows.", "WIRE-9").listing { $0.kind = 99 },
            Self("kind-none", "Lists an item of no kind.", "WIRE-9").listing { $0.kind = 0 },
            Self("size-negative", "Lists a document of minus two bytes.", "CONT-1").listing { $0.size = -2 },
            Self("size-lowest", "Lists a document of the lowest size that can be written.", "CONT-1").listing {
                $0.size = .min
            },
            Self("size-largest", "Lists a document of eight exabytes.", "CONT-1").listing { $0.size = .max },
            Self("time-after-all", "Lists a document of the year 292,277,026,596.", "CONT-1").listing {
                $0.seconds = .max
            },
            Self("time-before-all", "Lists a document from before the beginning of time.", "CONT-1").listing {
                $0.seconds = .min
            },
            Self("time-year-9999", "Lists a document of the last second of the year 9999, which it may.", "CONT-1")
                .listing {
                    $0.seconds = 253_402_300_799
                    $0.nanoseconds = 999_999_999
                },
            Self("time-nanoseconds", "Lists a document with four thousand million nanoseconds.", "CONT-1").listing {
                $0.nanoseconds = 4_000_000_000
            },
            Self("identifier-empty", "Lists an item without an identifier.", "ID-1").listing { $0.id = [] },
            Self("identifier-too-long", "Lists an item with an identifier of 4,097 bytes.", "ID-1").listing {
                $0.id = [UInt8](repeating: UInt8(ascii: "i"), count: 4097)
            },
            Self("identifier-odd", "Lists an item whose identifier is a path and an escape sequence.", "ID-1").listing {
                $0.id = Array("../../etc/passwd\u{1B}[2J".utf8)
            },
            Self("identifier-not-text", "Lists an item whose identifier is not UTF-8.", "ID-1").listing {
                $0.id = [0xFF, 0xFE, 0xC0, 0x80]
            },
            Self("version-too-long", "Lists a document with a version of 129 bytes.", "VER-1").listing {
                $0.content = [UInt8](repeating: 1, count: 129)
            },
            Self("version-none", "Lists a document without a version.", "VER-1").listing { $0.content = [] },
            Self("type-odd", "Lists a document whose type is no type.", "CONT-1").listing {
                $0.type = "\u{1B}[2J../\u{202E}"
            },
            Self("type-long", "Lists a document whose type has 100,000 bytes.", "CONT-1").listing {
                $0.type = "public." + String(repeating: "x", count: 100_000)
            },
        ]

    private static let names: [(String, String, [UInt8])] = [
        ("dot", "called “.”", text(".")),
        ("dots", "called “..”", text("..")),
        ("absolute", "called “/etc/evil.txt”", text("/etc/evil.txt")),
        ("outside", "called “../../evil.txt”", text("../../evil.txt")),
        ("nul", "with a NUL in its name", text("evil\0.txt")),
        ("line-break", "with a line break in its name", text("evil\n.txt")),
        ("escape", "whose name rewrites the terminal", text("\u{1B}[2J\u{1B}]0;evil\u{7}.txt")),
        ("c1", "with a C1 control in its name", text("\u{9B}31mevil.txt")),
        ("line-separator", "with a line separator in its name", text("evil\u{2028}.txt")),
        ("turned", "whose name is shown from right to left", text("evil\u{202E}txt.exe")),
        ("empty", "without a name", []),
        ("too-long", "with a name of 256 bytes", text(String(repeating: "e", count: 256))),
        ("longest", "with a name of 255 bytes, which it may", text(String(repeating: "e", count: 255))),
        ("reserved", "called as the placeholders' folder", text(".docent-placeholders")),
        ("hidden", "called “.docent”", text(".docent")),
        ("taken", "called as another one", text("good.txt")),
        ("case", "called as another one but for case", text("GOOD.TXT")),
        ("not-text", "with a name that is not UTF-8", [0x65, 0x76, 0x69, 0x6C, 0xFF, 0xFE]),
        ("surrogate", "with half a surrogate pair in its name", [0x65, 0xED, 0xA0, 0x80]),
        ("option", "called “--help”", text("--help")),
    ]

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// One more item in the top folder, changed.
    private func listing(_ change: @escaping @Sendable (inout PeerItem) -> Void) -> Self {
        onListing { peer, call in
            var item = PeerItem("odd", in: PeerTree.root, named: "odd.txt", size: 5)
            change(&item)
            try peer.answer(call, listing: peer.tree.children(of: PeerTree.root) + [item])
        }
    }
}
