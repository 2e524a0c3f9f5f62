import DocumentTestSupport
import Testing

@testable import DocumentHost

@Suite("A walk through a tree")
struct TreeWalkTests {
    /// A tree as it is on the remote: documents of each folder, and its folders, in parts.
    private struct Tree {
        var parts: [(documents: [Int], folders: [Int])]
    }

    @Test("Everything is brought once, never more at a time than there are places, whatever ends first")
    func everything() {
        for seed in UInt64(0)..<300 {
            var random = SplitMix(state: seed)
            var number = 0
            let trees = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                Tree(
                    parts: (0..<Int.random(in: 1...3, using: &random)).map { _ in
                        let documents = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                            number += 1
                            return number
                        }
                        return (documents, [])
                    })
            }
            var all = trees
            // Every folder but the first lies in one before it.
            for child in trees.indices.dropFirst() {
                let parent = Int.random(in: 0..<child, using: &random)
                let part = Int.random(in: 0..<all[parent].parts.count, using: &random)
                all[parent].parts[part].folders.append(child)
            }
            let width = Int.random(in: 1...6, using: &random)
            var walk = TreeWalk<(folder: Int, part: Int), Int>(from: (0, 0), width: width)
            var underWay: [TreeWalk<(folder: Int, part: Int), Int>.Step] = []
            var brought: [Int] = []
            var read = 0
            while true {
                while let step = walk.next() { underWay.append(step) }
                #expect(underWay.count <= width)
                guard !underWay.isEmpty else { break }
                switch underWay.remove(at: Int.random(in: underWay.indices, using: &random)) {
                case .bring(let document):
                    brought.append(document)
                    walk.ended()
                case .read(let at):
                    read += 1
                    let parts = all[at.folder].parts
                    walk.read(
                        parts[at.part].documents, folders: parts[at.part].folders.map { ($0, 0) },
                        rest: at.part + 1 < parts.count ? (at.folder, at.part + 1) : nil)
                }
            }
            #expect(brought.sorted() == Array(1...max(number, 1)).prefix(number).map { $0 })
            #expect(read == all.reduce(0) { $0 + $1.parts.count })
        }
    }

    @Test("After a failure nothing is begun, and what was not begun is told")
    func failure() {
        var walk = TreeWalk<String, Int>(from: "top", width: 2)
        guard case .read("top") = walk.next() else { return #expect(Bool(false), "the folder is read first") }
        #expect(walk.next() == nil)
        walk.read([1, 2, 3], folders: ["inside"], rest: "top, on")
        guard case .bring(1) = walk.next(), case .bring(2) = walk.next() else {
            return #expect(Bool(false), "documents come in their order")
        }
        walk.ended(true)
        #expect(walk.next() == nil)
        walk.ended()
        #expect(walk.next() == nil)
        #expect(walk.waiting == [3])
    }

    @Test("Documents come before a folder is read on, and what is deeper before what is beside it")
    func order() {
        var walk = TreeWalk<String, Int>(from: "top", width: 1)
        _ = walk.next()
        walk.read([1], folders: ["a", "b"], rest: "top, on")
        var order: [String] = []
        while let step = walk.next() {
            switch step {
            case .bring(let document):
                order.append("\(document)")
                walk.ended()
            case .read(let folder):
                order.append(folder)
                walk.read([], folders: folder == "a" ? ["a/deep"] : [], rest: nil)
            }
        }
        #expect(order == ["1", "a", "a/deep", "b", "top, on"])
    }
}
