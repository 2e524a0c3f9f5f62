package import DocumentModel

/// The files and folders that the kernel knows by number, as a tree of names: a pure state machine.
///
/// A number is given out at the first look-up of a name, counts how often the kernel was told of it, and is forgotten when
/// the kernel has forgotten it as often and nothing below it is known any more. A number is never used again.
package struct NodeTable: Sendable {
    package typealias Number = UInt64

    /// The mount itself: the folder of all domains.
    package static let top: Number = 1

    private struct Node {
        /// Nil for the top, and for what was removed while it was still in use.
        var parent: Number?
        var name: ItemName?
        var lookups: UInt64 = 0
        var children: [ItemName: Number] = [:]
    }

    /// What a number stands for.
    package enum Place: Hashable, Sendable {
        /// The folder of all domains.
        case top
        case item(Location)
    }

    private var nodes: [Number: Node] = [top: Node(parent: nil, name: nil)]
    private var last = top

    package init() {}

    /// How many are known, the top among them.
    package var count: Int { nodes.count }

    /// All but the top.
    package var numbers: [Number] { nodes.keys.filter { $0 != Self.top } }

    // MARK: Looking

    /// Nil for what is not known, or was removed.
    package func place(of number: Number) -> Place? {
        if number == Self.top { return .top }
        var names: [ItemName] = []
        var next = number
        while next != Self.top {
            guard let node = nodes[next], let parent = node.parent, let name = node.name else { return nil }
            names.append(name)
            next = parent
        }
        guard let first = names.popLast(), let domain = try? DomainName(first.rawValue) else { return nil }
        return .item(Location(domain: domain, components: names.reversed()))
    }

    /// What a name in a folder stands for; nil when the folder is not known, or nothing can have that name.
    package func location(of name: ItemName, in folder: Number) -> Location? {
        switch place(of: folder) {
        case nil: nil
        case .top: (try? DomainName(name.rawValue)).map { Location(domain: $0) }
        case .item(let location): location.appending(name)
        }
    }

    package func number(of name: ItemName, in folder: Number) -> Number? { nodes[folder]?.children[name] }

    /// The number of a location, when the kernel knows it.
    package func number(of location: Location) -> Number? {
        guard let domain = try? ItemName(location.domain.rawValue) else { return nil }
        return ([domain] + location.components).reduce(Self.top as Number?) { folder, name in
            folder.flatMap { self.number(of: name, in: $0) }
        }
    }

    package func folder(around number: Number) -> (folder: Number, name: ItemName)? {
        guard let node = nodes[number], let parent = node.parent, let name = node.name else { return nil }
        return (parent, name)
    }

    /// What is known below a number, and that itself, the innermost first.
    package func subtree(of number: Number) -> [Number] {
        guard let node = nodes[number] else { return [] }
        return node.children.values.flatMap(subtree) + [number]
    }

    // MARK: Changes

    /// The kernel is told of a name: counts one more look-up.
    ///
    /// - Returns: nil when the folder is not known.
    package mutating func lookUp(_ name: ItemName, in folder: Number) -> Number? {
        guard nodes[folder] != nil else { return nil }
        if let known = nodes[folder]?.children[name] {
            nodes[known]?.lookups += 1
            return known
        }
        last += 1
        nodes[last] = Node(parent: folder, name: name, lookups: 1)
        nodes[folder]?.children[name] = last
        return last
    }

    /// The kernel has forgotten so many look-ups.
    ///
    /// - Returns: whether it is not known any more.
    @discardableResult
    package mutating func forget(_ number: Number, _ count: UInt64) -> Bool {
        guard number != Self.top, let node = nodes[number] else { return false }
        nodes[number]?.lookups -= min(count, node.lookups)
        prune(number)
        return nodes[number] == nil
    }

    /// It has another name or folder. What had that name is removed.
    package mutating func move(_ number: Number, to name: ItemName, in folder: Number) {
        guard number != Self.top, let node = nodes[number], nodes[folder] != nil else { return }
        // A folder does not move into itself.
        var around: Number? = folder
        while let next = around {
            if next == number { return }
            around = nodes[next]?.parent
        }
        if let replaced = nodes[folder]?.children[name] {
            if replaced == number { return }
            remove(replaced)
        }
        if let parent = node.parent, let name = node.name { nodes[parent]?.children[name] = nil }
        nodes[number]?.parent = folder
        nodes[number]?.name = name
        nodes[folder]?.children[name] = number
        if let parent = node.parent { prune(parent) }
    }

    /// It has no name any more; the kernel may use its number until it forgets it.
    package mutating func remove(_ number: Number) {
        guard number != Self.top, let parent = nodes[number]?.parent, let name = nodes[number]?.name else { return }
        nodes[parent]?.children[name] = nil
        nodes[number]?.parent = nil
        prune(parent)
        prune(number)
    }

    /// Lets go of what the kernel does not know any more, from the inside out.
    private mutating func prune(_ number: Number) {
        var number = number
        while number != Self.top, let node = nodes[number], node.lookups == 0, node.children.isEmpty {
            nodes[number] = nil
            guard let parent = node.parent, let name = node.name else { return }
            nodes[parent]?.children[name] = nil
            number = parent
        }
    }
}
