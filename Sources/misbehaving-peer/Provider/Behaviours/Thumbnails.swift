import Glibc

/// Thumbnails that are not what was asked for, where the target's is among them.
extension ProviderBehaviour {
    static let thumbnails: [ProviderBehaviour] = [
        image("thumbnail-too-large", "Gives a thumbnail of more than a megabyte.") {
            $0.data = dot + [UInt8](repeating: 0, count: 1 << 20)
        },
        image("thumbnail-of-another-type", "Calls a PNG a JPEG.") { $0.mediaType = "image/jpeg" },
        image("thumbnail-is-text", "Gives a thumbnail that is no picture.") { $0.data = Array("A picture.".utf8) },
        image("thumbnail-bomb", "Gives a thumbnail of two thousand million pixels in a row.") {
            $0.data.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
        },
        image("thumbnail-too-wide", "Gives a thumbnail that is larger than was asked for.") {
            // 2,048 pixels.
            $0.data.replaceSubrange(16..<20, with: [0, 0, 8, 0])
        },
        image("thumbnail-in-a-canvas", "Gives a WebP whose picture is larger than its canvas.") {
            $0.data = webP
            $0.mediaType = "image/webp"
        },
        image("thumbnail-of-another-version", "Gives a thumbnail of other contents.") { $0.version = [0x2A] },
        Self("thumbnail-of-a-stranger", "Gives a thumbnail that nobody asked for.", "PICK-17").thumbnailing {
            peer, call in
            try peer.answer(call) {
                for (id, version) in call.wantedThumbnails { $0.thumbnail(id, version: version) }
                $0.thumbnail("inner", version: Array("1".utf8))
            }
        },
        Self("thumbnail-twice", "Gives a thumbnail twice.", "PICK-17").thumbnailing { peer, call in
            try peer.answer(call) {
                for (id, version) in call.wantedThumbnails + call.wantedThumbnails {
                    $0.thumbnail(id, version: version)
                }
            }
        },
        Self("thumbnail-nothing", "Answers for none of the items.", "PICK-17").thumbnailing { peer, call in
            try peer.answer(call) { _ in }
        },
        Self("thumbnail-open", "Says neither that there is a thumbnail nor that there is none.", "PICK-17")
            .thumbnailing { peer, call in
                try peer.answer(call) {
                    for (id, _) in call.wantedThumbnails { $0.message(1) { $0.text(1, id) } }
                }
            },
        failing(
            "thumbnail-reserved-code", "Fails a thumbnail with a code that only the host may use.", "WIRE-31", 501,
            "I died."),
        failing(
            "thumbnail-moves-the-cursor", "Fails a thumbnail with words that rewrite the terminal.", "WIRE-29", 301,
            "\u{1B}[2J\u{9B}31mThere is none.\r\u{202E}gnp.exe\u{0}"),
        Self("thumbnail-never", "Never answers for thumbnails.", "WIRE-28").thumbnailing { $0.hold($1) },
        Self("thumbnail-dies", "Dies over thumbnails.", "WIRE-56").thumbnailing { _, _ in OwnProcess.die(by: SIGKILL) },
        Self("thumbnail-unknown", "Claims thumbnails, and does not know the call.", "WIRE-9").thumbnailing {
            try $0.fail($1, 402, "This is not known here.")
        },
        Self("thumbnail-one-by-one", "Answers for one item at a time, which it may.", "PICK-17").thumbnailing {
            peer, call in
            try peer.answer(call) {
                for (id, version) in call.wantedThumbnails.prefix(1) { $0.thumbnail(id, version: version) }
            }
        },
    ]

    /// Deviates at every question for thumbnails.
    private func thumbnailing(_ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void) -> Self {
        claiming("thumbnails").on({ $0.kind == .thumbnails }, step)
    }

    /// What is said of an image.
    fileprivate struct Image {
        var data = ProviderBehaviour.dot
        var mediaType = "image/png"
        var version: [UInt8]
    }

    /// The target's is another one, and the others are as they are.
    private static func image(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (inout Image) -> Void
    ) -> Self {
        Self(name, summary, "PICK-17").thumbnailing { peer, call in
            try peer.answer(call) {
                for (id, version) in call.wantedThumbnails {
                    var image = Image(version: version)
                    if id == PeerTree.target { change(&image) }
                    $0.thumbnail(id, image)
                }
            }
        }
    }

    private static func failing(
        _ name: String, _ summary: String, _ rule: String, _ code: UInt64, _ words: String
    ) -> Self {
        Self(name, summary, rule).thumbnailing { peer, call in
            try peer.answer(call) {
                for (id, version) in call.wantedThumbnails {
                    guard id == PeerTree.target else {
                        $0.thumbnail(id, version: version)
                        continue
                    }
                    $0.message(1) {
                        $0.text(1, id)
                        $0.message(4) {
                            $0.number(1, code)
                            $0.text(2, words)
                        }
                    }
                }
            }
        }
    }

    /// A PNG of one pixel.
    fileprivate static let dot: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x04, 0x00, 0x00, 0x00, 0xB5, 0x1C, 0x0C, 0x02, 0x00, 0x00, 0x00,
        0x0B, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x64, 0x60, 0x00, 0x00, 0x00, 0x06, 0x00, 0x02, 0x30, 0x81,
        0xD0, 0x2F, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    /// A canvas of 16 × 16, and in it a picture that says that it is 16,384 × 16,384.
    private static let webP: [UInt8] =
        Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0]
        + [0, 0, 0, 0, 15, 0, 0, 15, 0, 0] + Array("VP8L".utf8) + [5, 0, 0, 0] + [0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0]
}

extension MessageWriter {
    /// A `ProvidedThumbnail` of a `GetThumbnailsAnswer`.
    mutating func thumbnail(_ id: String, version: [UInt8]) {
        thumbnail(id, ProviderBehaviour.Image(version: version))
    }

    fileprivate mutating func thumbnail(_ id: String, _ image: ProviderBehaviour.Image) {
        message(1) {
            $0.text(1, id)
            $0.message(2) {
                $0.bytes(1, image.data)
                $0.text(2, image.mediaType)
                $0.bytes(3, image.version)
            }
        }
    }
}
