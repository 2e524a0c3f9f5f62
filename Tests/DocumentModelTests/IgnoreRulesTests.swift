import DocumentModel
import Testing

/// What of a domain is kept here and not sent.
struct IgnoreRulesTests {
    private func path(_ text: String) throws -> [ItemName] {
        try text.split(separator: "/").map { try ItemName(String($0)) }
    }

    /// - Parameter place: with a slash at the end for a folder.
    private func decision(_ patterns: [String], _ place: String, defaults: Bool = false) throws -> IgnoreDecision? {
        let rules = IgnoreRules(patterns: try patterns.map { try IgnorePattern($0) }, usesDefaults: defaults)
        return rules.decision(on: try path(place), isFolder: place.hasSuffix("/"))
    }

    private func isIgnored(_ patterns: [String], _ place: String, defaults: Bool = false) throws -> Bool {
        try decision(patterns, place, defaults: defaults)?.isIgnored ?? false
    }

    @Test(
        "CONT-13: a path that is deeper than any item can be has no rule, and is not worked on", .timeLimit(.minutes(1))
    )
    func deepPaths() throws {
        let rules = IgnoreRules(patterns: [try IgnorePattern("a/**/b/**/c")])
        let deep = try [ItemName](repeating: ItemName("a"), count: 100_000) + [ItemName(".DS_Store")]
        #expect(rules.decision(on: deep, isFolder: false) == nil)
        #expect(rules.decision(on: Array(deep.suffix(10)), isFolder: false)?.isIgnored == true)
    }

    @Test(
        "CONT-13: what a pattern matches",
        arguments: [
            ("*.tmp", "a.tmp x/a.tmp x/.tmp a.TMP dir.tmp/", "a.tmp2 a"),
            ("?.x", "a.x é.x 😀.x", "ab.x .x"),
            ("[a-c]?", "ax b1 C?", "d1 a abc"),
            ("[!a-c]", "d é -", "a B dd"),
            ("[]x]", "] x", "[ a"),
            ("[a-]", "a -", "b"),
            ("\\*", "*", "a **"),
            ("\\#a", "#a", "a"),
            ("\\!a", "!a", "a"),
            ("a[*]", "a*", "ab a"),
            ("build/", "build/ x/build/ build/a x/build/y/z", "build x/build builds/"),
            ("/a", "a a/ a/b", "x/a"),
            ("x/a", "x/a x/a/b", "a y/x/a"),
            ("x/*/a", "x/1/a", "x/a x/1/2/a"),
            ("**/a", "a x/a x/y/a", "ab"),
            ("x/**", "x/a x/y/a", "x y/x/a"),
            ("x/**/a", "x/a x/1/a x/1/2/a", "a y/x/a xa"),
            ("a**b", "ab axxb", "a/b"),
            ("*", "a .a x/y", ""),
            ("**", "a x/y", ""),
            ("CAFE\u{301}", "caf\u{E9} cafe\u{301}", "cafe"),
            ("STRASSE", "stra\u{DF}e", "strase"),
            ("# *", "", "# a"),
        ])
    func table(_ pattern: String, _ matching: String, _ others: String) throws {
        for place in matching.split(separator: " ") {
            #expect(try isIgnored([pattern], String(place)), "\(pattern) matches \(place)")
        }
        for place in others.split(separator: " ") {
            #expect(try !isIgnored([pattern], String(place)), "\(pattern) does not match \(place)")
        }
    }

    @Test("CONT-13: of those that match the last one decides, and nothing comes back out of a folder that is ignored")
    func order() throws {
        #expect(try !isIgnored(["*.tmp", "!keep.tmp"], "keep.tmp"))
        #expect(try isIgnored(["!keep.tmp", "*.tmp"], "keep.tmp"))
        #expect(try isIgnored(["*.tmp", "!keep.tmp", "/keep.tmp"], "keep.tmp"))
        #expect(try isIgnored(["build/", "!build/a"], "build/a"))
        #expect(try !isIgnored(["build/*", "!build/a"], "build/a"))
        #expect(try !isIgnored(["build/", "!build/"], "build/a"))
        let decision = try #require(try decision(["build/"], "x/build/y/z"))
        #expect(
            decision.path.map(\.rawValue) == ["x", "build"] && decision.rule.text == "build/" && !decision.isDefault)
        #expect(try self.decision(["!a"], "a")?.isIgnored == false)
        #expect(try self.decision(["!a"], "a/b") == nil)
    }

    @Test(
        "CONT-13: editors' scratch files are ignored unasked, and may be sent after all",
        arguments: [
            ".~lock.q3.odt#", "~$report.docx", "notes.swp", ".notes.txt.swp", ".notes.txt.swo", ".#notes", "#notes#",
            ".notes.kate-swp", ".goutputstream-1ABC", ".DS_Store", "._a.jpg", "Thumbs.db", ".Trash-1000/",
            ".nfs000000001", ".fuse_hidden0000", "Letters/.DS_Store",
        ])
    func defaults(_ place: String) throws {
        #expect(try isIgnored([], place, defaults: true))
        #expect(try self.decision([], place, defaults: true)?.isDefault == true)
        #expect(try !isIgnored([], place))
        #expect(try !isIgnored(["!*"], place, defaults: true))
    }

    @Test("CONT-13: the built-in patterns are all good, and match nothing that people write")
    func harmless() throws {
        #expect(IgnoreRules.defaults.count == 14)
        for place in ["a.txt", ".bashrc", "~", "a~", "#1.txt", "swp", ".git/", ".git/index.lock", "a.swf", "x.part"] {
            #expect(try !isIgnored([], place, defaults: true), "\(place)")
        }
    }

    @Test(
        "CONT-13: a bad pattern is refused with a sentence that names it",
        arguments: [
            ("", "empty"), ("/", "says nothing"), ("!", "says nothing"), ("!/", "says nothing"), ("a//b", "two of its"),
            ("a/./b", "no names"), ("../a", "no names"), ("[a", "not closed"), ("[", "not closed"),
            ("[]", "not closed"),
            ("a[b/c]", "not closed"), ("[\\", "not closed"), ("[z-a]", "wrong way"), ("a\\", "behind its last"),
            ("[[:alpha:]]", "not known"), ("a\nb", "control"), ("a\u{0}", "control"),
            (String(repeating: "a", count: 256), "255 is the most"),
        ])
    func refused(_ text: String, _ reason: String) throws {
        let error = #expect(throws: DocumentError.self) { try IgnorePattern(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("“\(text.prefix(1).filter { $0 != "\u{0}" })") == true)
    }

    @Test("CONT-13: rules are added behind the others, removed by what they are, and no more than 500")
    func changes() throws {
        let (a, b) = (try IgnorePattern("a"), try IgnorePattern("b"))
        var rules = try IgnoreRules().applying(IgnoreRuleChange(adding: [a, b, a]))
        #expect(rules.patterns == [b, a] && rules.usesDefaults)
        rules = try rules.applying(IgnoreRuleChange(removing: [b], usesDefaults: false))
        #expect(rules.patterns == [a] && !rules.usesDefaults)
        let refused = #expect(throws: DocumentError.self) { try rules.applying(IgnoreRuleChange(removing: [b])) }
        #expect(refused?.message.contains("“b”") == true)
        let many = try (0...IgnoreRules.mostPatterns).map { try IgnorePattern("p\($0)") }
        #expect(throws: DocumentError.self) { try rules.applying(IgnoreRuleChange(adding: many)) }
        #expect(try IgnoreRules().applying(IgnoreRuleChange(adding: Array(many.dropLast()))).patterns.count == 500)
    }

    // MARK: Properties

    @Test(
        "CONT-13: matching says the same as the simplest description of it, whatever pattern and path",
        arguments: 0..<40)
    func properties(seed: UInt64) throws {
        var random = SeededRandom(seed)
        for _ in 0..<250 {
            let text = random.text(from: ["a", "b", "*", "**", "?", "/", "a", "/"], 1...8)
            guard let pattern = try? IgnorePattern(text) else { continue }
            let names = (0..<random.number(1...5)).map { _ in random.text(from: ["a", "b", "c"], 1...4) }
            let isFolder = random.number(0...1) == 1
            let expected = (1...names.count).contains { length in
                PlainMatcher(text).matches(Array(names[..<length]), isFolder: length < names.count || isFolder)
            }
            let place = names.joined(separator: "/") + (isFolder ? "/" : "")
            #expect(try isIgnored([pattern.text], place) == expected, "\(text) and \(place)")
        }
    }

    @Test("CONT-13: what was read is refused or decided on, whatever bytes it is made of", arguments: 0..<20)
    func anything(seed: UInt64) throws {
        var random = SeededRandom(seed)
        let place = try path("x/aé😀b/[c]")
        for _ in 0..<500 {
            let text = random.text(
                from: ["a", "[", "]", "!", "-", "\\", "*", "/", "é", "😀", "^", ":", "#", "?"], 1...12)
            guard let pattern = try? IgnorePattern(text) else { continue }
            let rules = IgnoreRules(patterns: [pattern], usesDefaults: false)
            #expect(
                rules.decision(on: place, isFolder: true)?.rule == pattern
                    || rules.decision(on: place, isFolder: true) == nil)
            #expect(try IgnorePattern(pattern.text) == pattern)
        }
    }

    @Test("CONT-13: no pattern takes long, however many stars it has", .timeLimit(.minutes(1)))
    func hostile() throws {
        let name = String(repeating: "a", count: 255)
        let deep = Array(repeating: name, count: 60).joined(separator: "/")
        let stars = String((0..<120).flatMap { _ in "*a" }) + "b"
        let folders = Array(repeating: "**", count: 40).joined(separator: "/a*b/") + "/b"
        let patterns =
            (0..<20).map { _ in stars }
            + (0..<20).map { _ in String(folders.prefix(250)) + "b" }
            .filter { (try? IgnorePattern($0)) != nil }
        try #require(patterns.count >= 20)
        #expect(try !isIgnored(patterns, deep))
    }
}

/// gitignore in the fewest words, for patterns of letters, `*`, `**`, `?` and `/`: it tries everything.
private struct PlainMatcher {
    private let segments: [[Character]]
    private let isForFolders: Bool

    init(_ text: String) {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Array($0) }
        isForFolders = parts.count > 1 && parts.last == []
        if isForFolders { parts.removeLast() }
        if parts.count > 1 {
            if parts.first == [] { parts.removeFirst() }
        } else {
            parts.insert(["*", "*"], at: 0)
        }
        segments = parts
    }

    func matches(_ names: [String], isFolder: Bool) -> Bool {
        (isFolder || !isForFolders) && matches(segments[...], names.map { Array($0) }[...])
    }

    private func matches(_ segments: ArraySlice<[Character]>, _ names: ArraySlice<[Character]>) -> Bool {
        guard let segment = segments.first else { return names.isEmpty }
        let rest = segments.dropFirst()
        if segment == ["*", "*"] {
            // Behind all others it stands for what is in the folder.
            if rest.allSatisfy({ $0 == ["*", "*"] }) { return !names.isEmpty }
            return (0...names.count).contains { matches(rest, names.dropFirst($0)) }
        }
        guard let name = names.first else { return false }
        return matches(glob: segment[...], name[...]) && matches(rest, names.dropFirst())
    }

    private func matches(glob: ArraySlice<Character>, _ name: ArraySlice<Character>) -> Bool {
        guard let token = glob.first else { return name.isEmpty }
        let rest = glob.dropFirst()
        if token == "*" { return (0...name.count).contains { matches(glob: rest, name.dropFirst($0)) } }
        guard let character = name.first, token == "?" || token == character else { return false }
        return matches(glob: rest, name.dropFirst())
    }
}

private struct SeededRandom {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return range.lowerBound + Int((state >> 33) % UInt64(range.count))
    }

    mutating func text(from parts: [String], _ length: ClosedRange<Int>) -> String {
        (0..<number(length)).map { _ in parts[number(0...parts.count - 1)] }.joined()
    }
}
