import DocumentModel
import DocumentWire
import Testing

/// Calls and answers about bookmarks.
struct BookmarkRoundTripTests {
    private func bookmark(_ generator: inout Generator) throws -> Bookmark {
        try Bookmark(bytes: generator.bytes(1...300))
    }

    private func tool(_ generator: inout Generator) throws -> ToolIdentifier {
        try ToolIdentifier("org.example.t\(generator.int(0...999))")
    }

    private func rights(_ generator: inout Generator) -> BookmarkRights { generator.one(of: BookmarkRights.allCases) }

    @Test("every call about bookmarks survives the wire")
    func calls() throws {
        try forEachSeed { generator in
            let calls: [BookmarkCall] = [
                .create(
                    try generator.location(),
                    BookmarkOptions(
                        rights: rights(&generator), document: try generator.optional { try $0.location() },
                        expires: generator.optional { $0.timestamp() })),
                .create(try generator.location(), BookmarkOptions(tool: try tool(&generator))),
                .resolve(try bookmark(&generator), document: try generator.optional { try $0.location() }),
                .start(try bookmark(&generator), document: try generator.optional { try $0.location() }),
                .stop(try bookmark(&generator)), .list, .revoke(BookmarkIdentifier(rawValue: generator.next())),
            ]
            for call in calls {
                let call = ServiceCall.bookmark(call)
                #expect(try ServiceCall(serialized: call.serialized()) == call)
            }
            var access = AccessRequest(location: try generator.location(), intent: .reading)
            access.bookmark = try bookmark(&generator)
            #expect(try ServiceCall(serialized: ServiceCall.beginAccess(access).serialized()) == .beginAccess(access))
        }
    }

    @Test("every answer about bookmarks survives the wire")
    func replies() throws {
        try forEachSeed { generator in
            let description = BookmarkDescription(
                id: BookmarkIdentifier(rawValue: generator.next()), madeAt: try generator.location(),
                location: try generator.optional { try $0.location() }, rights: rights(&generator),
                tool: try generator.optional { try tool(&$0) }, document: try generator.optional { try $0.location() },
                created: generator.timestamp(), expires: generator.optional { $0.timestamp() })
            let resolved = ResolvedBookmark(
                item: ItemStatus(
                    item: try generator.item(), location: try generator.location(), state: .materialised,
                    path: generator.path()),
                isStale: generator.bool(), rights: rights(&generator))
            let replies: [BookmarkReply] = [
                .create(try bookmark(&generator), description), .resolve(resolved),
                .start(refusal: try generator.optional { try $0.error() }),
                .list(generator.bool() ? [] : [description, description]),
            ]
            for reply in replies {
                let reply = ServiceReply.bookmark(reply)
                #expect(try ServiceReply(serialized: reply.serialized()) == reply)
            }
        }
    }

    @Test("BOOK-3: a bookmark that is to be bound to a document and to a tool is refused")
    func boundTwice() throws {
        let location = try Location("work:/a")
        let call = ServiceCall.bookmark(
            .create(location, BookmarkOptions(document: location, tool: try ToolIdentifier("org.example.editor"))))
        let error = #expect(throws: DocumentError.self) { try ServiceCall(serialized: call.serialized()) }
        #expect(error?.code == .invalidArgument)
    }
}
