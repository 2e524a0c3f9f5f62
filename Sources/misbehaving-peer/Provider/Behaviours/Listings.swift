import Glibc

/// Folders that cannot be.
extension ProviderBehaviour {
    static let listings: [ProviderBehaviour] = [
        Self("listing-in-a-circle", "Gives the same page token again and again.", "PROV-21").onListing { peer, call in
            try peer.answer(call, listing: peer.tree.children(of: PeerTree.root), next: Array("again".utf8))
        },
        Self("listing-without-end", "Gives ever new page tokens for the same items.", "PROV-21").onListing {
            peer, call in
            let next = Array("page-\(peer.count("pages"))".utf8)
            try peer.answer(call, listing: peer.tree.children(of: PeerTree.root), next: next)
        },
        Self("listing-of-empty-pages", "Gives ever new page tokens and no items.", "PROV-21").onListing { peer, call in
            try peer.answer(call, listing: [], next: Array("page-\(peer.count("pages"))".utf8))
        },
        Self("listing-token-too-long", "Gives a page token of 501 bytes.", "WIRE-27").onListing { peer, call in
            try peer.answer(call, listing: [], next: [UInt8](repeating: 7, count: 501))
        },
        Self("listing-expires-always", "Says of every page that it has expired.", "PROV-21").onListing { peer, call in
            try peer.fail(call, 404, "The page has expired.")
        },
        Self("listing-too-large", "Lists a hundred and one times what was asked for.", "PROV-21").onListing {
            peer, call in
            let count = Int(call.fields.number(3)) * 101
            try peer.answer(
                call, listing: (0..<count).map { PeerItem("many-\($0)", in: PeerTree.root, named: "m\($0)") })
        },
        Self("listing-omits-once", "Leaves an item out, once.", "SYNC-3").claiming("modifying").onListing {
            peer, call in
            var items = peer.tree.children(of: PeerTree.root)
            if peer.count("listings") == 2 { items.removeAll { $0.key == PeerTree.target } }
            try peer.answer(call, listing: items)
        },
        Self("listing-item-twice", "Lists an item twice.", "ID-1").onListing { peer, call in
            let items = peer.tree.children(of: PeerTree.root)
            try peer.answer(call, listing: items + items)
        },
        Self("listing-two-of-one-identifier", "Gives two items one identifier.", "ID-2").onListing { peer, call in
            var other = peer.target
            other.name = Array("other.txt".utf8)
            try peer.answer(call, listing: peer.tree.children(of: PeerTree.root) + [other])
        },
        Self("listing-two-of-one-name", "Gives two items one name.", "CONT-12").onListing { peer, call in
            let other = PeerItem("other", in: PeerTree.root, named: "target.txt")
            try peer.answer(call, listing: peer.tree.children(of: PeerTree.root) + [other])
        },
        Self("listing-two-of-one-form", "Gives two items one name, in two Unicode forms.", "CONT-12").onListing {
            peer, call in
            let forms = ["caf\u{E9}.txt", "cafe\u{301}.txt"]
            let items = forms.enumerated().map { PeerItem("form-\($0)", in: PeerTree.root, named: $1) }
            try peer.answer(call, listing: peer.tree.children(of: PeerTree.root) + items)
        },
        Self("listing-of-strangers", "Lists what lies in another folder.", "PROV-21").onListing { peer, call in
            try peer.answer(call, listing: [PeerItem("stranger", in: "folder", named: "stranger.txt")])
        },
        Self("listing-of-itself", "Lists a folder in itself.", "PROV-21").onListing { peer, call in
            try peer.answer(call, listing: [PeerItem.folder("/", in: "/", named: "itself")])
        },
        Self("listing-of-a-circle", "Has two folders that lie in each other.", "PROV-21").onCall { peer, call in
            guard call.kind == .enumerate else { return false }
            let other = call.subject == "folder" ? "second" : "folder"
            try peer.answer(call, listing: [PeerItem.folder(other, in: call.subject, named: other)])
            return true
        },
        Self("listing-without-ground", "Has a folder in every folder, without end.", "CONT-12").onCall { peer, call in
            guard call.kind == .enumerate else { return false }
            let id = "deep-\(peer.count("depth"))"
            try peer.answer(call, listing: [PeerItem.folder(id, in: call.subject, named: "deeper")])
            return true
        },
        Self("listing-then-nothing", "Lists items and says of each that there is none.", "WIRE-32").onCall {
            peer, call in
            guard call.subject == PeerTree.target, call.kind == .item || call.kind == .startProviding else {
                return false
            }
            try peer.fail(call, 201, "There is no such item.")
            return true
        },
        Self("listing-large", "Lists four thousand items in pages, which it may.", "PROV-21").onListing {
            peer, call in
            let page = Int(String(decoding: call.page, as: UTF8.self)) ?? 0
            let items = (0..<500).map { PeerItem("n\(page)-\($0)", in: PeerTree.root, named: "n\(page)-\($0)") }
            let last = page == 7
            try peer.answer(
                call, listing: last ? items + peer.tree.children(of: PeerTree.root) : items,
                next: last ? [] : Array("\(page + 1)".utf8))
        },
        Self("identifier-reused", "Gives a removed item's identifier to another one.", "ID-2").onListing { peer, call in
            guard peer.count("listings") > 1 else { return try peer.answerProperly(call) }
            var items = peer.tree.children(of: PeerTree.root).filter { $0.key != PeerTree.target }
            items.append(PeerItem.folder(PeerTree.target, in: PeerTree.root, named: "now-a-folder"))
            try peer.answer(call, listing: items)
        },
        Self("version-of-two-contents", "Provides other contents under the same version.", "VER-1").onTarget {
            peer, call in
            let isFirst = peer.count("provided") == 1
            let bytes = isFirst ? peer.targetContents : peer.targetContents.map { $0 ^ 1 }
            try peer.fill(call, bytes)
            try peer.answer(call, item: peer.target)
        },
        Self("version-of-two-metadata", "Tells other metadata under the same version.", "VER-1").onListing {
            peer, call in
            let listing = peer.count("listings")
            let items = peer.tree.children(of: PeerTree.root).map { item in
                var item = item
                item.seconds += Int64(listing)
                return item
            }
            try peer.answer(call, listing: items)
        },
        Self("placeholder-of-strangers", "Has placeholders written into folders that nobody told of.", "PH-2").onListing
        {
            peer, call in
            try peer.writePlaceholder(PeerItem("stranger", in: "no-such-folder", named: "stranger.txt"))
            try peer.writePlaceholder(PeerItem("stray", in: "../../..", named: "stray.txt"))
            try peer.answerProperly(call)
        },
        Self("placeholder-of-evil-names", "Has placeholders written for names that are none.", "PH-2").onListing {
            peer, call in
            for (index, name) in ["../../evil.txt", ".docent-placeholders", "", "evil/evil.txt"].enumerated() {
                try peer.writePlaceholder(PeerItem("evil-\(index)", in: PeerTree.root, named: name))
            }
            try peer.answerProperly(call)
        },
        Self("placeholder-of-the-root", "Has a placeholder written in the place of the top folder.", "PH-2").onListing {
            peer, call in
            try peer.writePlaceholder(PeerItem("/", in: "folder", named: "root"))
            try peer.answerProperly(call)
        },
        Self("placeholder-on-a-document", "Moves everything below a document.", "PH-2").onListing { peer, call in
            try peer.answerProperly(call)
            try peer.writePlaceholder(PeerItem("good", in: PeerTree.target, named: "good.txt"))
        },
    ]
}
