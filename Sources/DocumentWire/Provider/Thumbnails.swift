package import DocumentModel

extension ProviderCall {
    /// Thumbnails of several items: the checked form of `docent.provider.v1.GetThumbnails`.
    package struct ThumbnailsCall: Hashable, Sendable {
        /// One to ``Thumbnail/mostAtOnce``, none twice.
        package var items: [WantedThumbnail]
        /// In pixels: the longer side.
        package var size: Int

        package init(items: [WantedThumbnail], size: Int) {
            self.items = items
            self.size = size
        }

        /// What is wrong with an answer as a whole: in one sentence, or nil. Each thumbnail in it is looked at on its own.
        package func fault(of given: [ProvidedThumbnail]) -> String? {
            guard !given.isEmpty else { return "The provider answered for none of the items that it was asked for." }
            let asked = Set(items.map(\.id))
            var seen: Set<ItemIdentifier> = []
            for answer in given {
                guard asked.contains(answer.id) else {
                    return "The provider gave a thumbnail of “\(answer.id)”, which it was not asked for."
                }
                guard seen.insert(answer.id).inserted else {
                    return "The provider answered twice for “\(answer.id)”."
                }
            }
            let length = given.reduce(0) { $0 + $1.length }
            guard length <= Thumbnail.mostBytesAtOnce else {
                return
                    "The provider gave \(length) bytes of images, where all together have at most \(Thumbnail.mostBytesAtOnce)."
            }
            return nil
        }
    }
}

/// An item that a thumbnail is wanted of, and which of its contents are to be on it.
package struct WantedThumbnail: Hashable, Sendable {
    package var id: ItemIdentifier
    /// Never empty.
    package var contentVersion: [UInt8]

    package init(_ id: ItemIdentifier, contentVersion: [UInt8]) {
        self.id = id
        self.contentVersion = contentVersion
    }
}

/// What a provider answers for one item, as it came: nothing of the image is checked yet.
package struct ProvidedThumbnail: Hashable, Sendable {
    package enum Answer: Hashable, Sendable {
        case image(bytes: [UInt8], mediaType: String, contentVersion: [UInt8])
        case missing
        case failure(DocumentError)
    }

    package var id: ItemIdentifier
    package var answer: Answer

    package init(_ id: ItemIdentifier, _ answer: Answer) {
        self.id = id
        self.answer = answer
    }

    /// Of the image, in bytes.
    package var length: Int {
        if case .image(let bytes, _, _) = answer { bytes.count } else { 0 }
    }

    /// What it comes to, for the one who asked: an image is what is said of it, and of what was asked for.
    ///
    /// - Throws: `contractBroken`; the cause says what is wrong.
    package func outcome(for call: ProviderCall.ThumbnailsCall) throws(DocumentError) -> ThumbnailOutcome {
        switch answer {
        case .missing: return .missing
        case .failure(let error):
            guard !error.code.isReservedForHost else {
                throw broken("It failed with the code \(error.code), which only a host may use.")
            }
            return .failed(error)
        case .image(let bytes, let mediaType, let contentVersion):
            guard call.items.first(where: { $0.id == id })?.contentVersion == contentVersion else {
                throw broken("It is of another version of the contents than the one that was asked for.")
            }
            let thumbnail: Thumbnail
            do throws(DocumentError) {
                thumbnail = try Thumbnail(bytes)
            } catch {
                throw broken(error.message)
            }
            guard thumbnail.mediaType == mediaType else {
                throw broken("It is said to be “\(ItemName.printable(mediaType))”, and is \(thumbnail.mediaType).")
            }
            guard thumbnail.fits(call.size) else {
                throw broken(
                    "It has \(thumbnail.header.width) × \(thumbnail.header.height) pixels, where \(call.size) were asked for and a side may have \(Thumbnail.sizeFactor) times as many."
                )
            }
            return .image(thumbnail)
        }
    }

    private func broken(_ finding: String) -> DocumentError {
        DocumentError(.contractBroken, ProviderReply.blame(), causes: [finding], itemID: id)
    }
}
