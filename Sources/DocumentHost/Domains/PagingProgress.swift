package import DocumentModel
import DocumentStorage
import DocumentWire
package import ProviderLauncher

/// Whether page after page of a provider leads anywhere: a listing, or a feed, that goes on and tells nothing new is
/// ended. What is kept of it is bounded, however long it is.
package struct PagingProgress {
    /// So many pages in a row may bring nothing.
    package static let mostIdlePages = 100
    /// So many pages are the end of anything: a folder, or a feed, of 25 million items in full pages.
    package static let mostPages = 50_000
    /// So many of the last tokens are remembered.
    private static let rememberedTokens = 256

    /// For messages.
    private let what: String
    /// Says that the provider did something that no provider may do.
    private let broken: @Sendable (String) -> DocumentError
    private var tokens: [[UInt8]] = []
    private var position = 0
    private var pages = 0
    private var idlePages = 0
    /// The first item of each page.
    private var firstItems: Set<ItemIdentifier> = []

    package init(_ what: String, of session: ProviderSession) {
        self.what = what
        broken = { session.broken($0) }
    }

    /// - Parameter provider: `The provider Photos (org.example.photos)`.
    package init(_ what: String, of provider: String) {
        self.what = what
        broken = { DocumentError(.contractBroken, "\(provider) \($0). \(ProviderReply.advice)") }
    }

    /// A page of a listing came, which is not the last.
    ///
    /// - Throws: `contractBroken` when it leads nowhere.
    package mutating func took(_ token: [UInt8], items: [Item]) throws(DocumentError) {
        // No item is listed twice, so the first ones of all pages differ.
        let isNew = items.first.map { firstItems.insert($0.id).inserted } ?? false
        try took(token, bringsNews: isNew)
    }

    /// A page came, which is not the last.
    ///
    /// - Throws: `contractBroken` when it leads nowhere.
    package mutating func took(_ token: [UInt8], bringsNews: Bool) throws(DocumentError) {
        guard !tokens.contains(token) else {
            throw broken("goes round in a circle: \(what) comes back to where it was")
        }
        if tokens.count < Self.rememberedTokens {
            tokens.append(token)
        } else {
            tokens[position] = token
            position = (position + 1) % Self.rememberedTokens
        }
        pages += 1
        guard pages < Self.mostPages else {
            throw broken("has told \(pages) pages, and \(what) does not end")
        }
        idlePages = bringsNews ? 0 : idlePages + 1
        guard idlePages < Self.mostIdlePages else {
            throw broken("tells nothing new in \(idlePages) pages in a row, and \(what) does not end")
        }
    }
}

extension ApplyOutcome {
    /// Whether anything is other than before.
    var isNews: Bool { inserted + updated + deleted + held > 0 }
}
