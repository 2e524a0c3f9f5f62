package import DocumentModel

/// The files and folders that the kernel knows by number, as a tree of names: a pure state machine.
///
/// A number is given out at the first look-up of a name, counts how often the kernel was told of it, and is forgotten when
/// the kernel has forgotten it as often and nothing below it is known any more. A number is never used again.
///
/// A number stands for one item: when another item is found under its name, that one gets a number of its own. What programs
/// change is entered when it is done, and counted, so that who has looked before knows that it has looked too early.
package struct NodeTable: Sendable {
    package typealias Number = UInt64

    /// What is found under a name.
    package struct Identity: Hashable, Sendable {
        package var id: ItemIdentifier
        package var isFolder: Bool

        package init(id: ItemIdentifier, isFolder: Bool) {
            (self.id, self.isFolder) = (id, isFolder)
        }
    }

    /// The mount itself: the folder of all domains.
    package static let top: Number = 1

    private struct Node {
        /// Nil for the top, and for what was removed while it was still in use.
        var parent: Number?
        var name: ItemName?
        var lookups: UInt64 = 0
        var children: [ItemName: Number] = [:]
        var isFolder = true
        /// What it was found as: more than one where its provider has given it another identifier, or it has replaced
        /// another document. Empty: whatever is found there.
        var known: Set<ItemIdentifier> = []
        /// A program has made it, and its provider has not given it an identifier yet.
        var isNew = false
        /// What programs are told as its number, as long as the kernel knows it.
        var inode: UInt64?

        mutating func isFound(as identity: Identity) -> Bool {
            if known.isEmpty || known.contains(identity.id) {
                known.insert(identity.id)
                return isFolder == identity.isFolder
            }
            // Its provider knows it by now.
            guard isFolder == identity.isFolder, isNew else { return false }
            known.insert(identity.id)
            isNew = false
            return true
        }
    }

    /// What a number stands for.
    package enum Place: Hashable, Sendable {
        /// The folder of all domains.
        case top
        case item(Location)

        /// Nil for the folder of all domains.
        package var location: Location? {
            guard case .item(let location) = self else { return nil }
            return location
        }
    }

    private var nodes: [Number: Node] = [top: Node(parent: nil, name: nil)]
    private var last = top
    private var inodes = ShownInodes()
    /// How often programs have changed something.
    package private(set) var changes: UInt64 = 0

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

    /// A folder, and all those around it, but for the top.
    package func around(_ number: Number) -> [Number] {
        var (numbers, next) = ([Number](), Optional(number))
        while let folder = next, folder != Self.top {
            numbers.append(folder)
            next = nodes[folder]?.parent
        }
        return numbers
    }

    /// What is known below a number, and that itself, the innermost first.
    package func subtree(of number: Number) -> [Number] {
        guard let node = nodes[number] else { return [] }
        return node.children.values.flatMap(subtree) + [number]
    }

    // MARK: Changes

    /// The kernel is told of a name: counts one more look-up.
    ///
    /// - Parameters:
    ///   - identity: what was found there.
    ///   - inode: what programs are to be told as its number, when they were not told one yet.
    ///   - changes: ``changes`` when it was looked at.
    /// - Returns: nil when the folder is not known; and when another item was found there than before, and a program may
    ///   have changed that since: look again.
    package mutating func lookUp(
        _ name: ItemName, in folder: Number, as identity: Identity, inode: UInt64, at changes: UInt64
    ) -> (number: Number, inode: UInt64)? {
        guard nodes[folder] != nil else { return nil }
        if let known = nodes[folder]?.children[name], let node = nodes[known] {
            let isFresh = changes == self.changes
            // Also what a program has just made, which is yet to get its identifier.
            guard isFresh || node.known.isEmpty || node.known.contains(identity.id) else { return nil }
            if nodes[known]?.isFound(as: identity) == false {
                guard isFresh else { return nil }
                remove(known)
            }
        }
        guard let number = lookUp(name, in: folder) else { return nil }
        nodes[number]?.isFolder = identity.isFolder
        nodes[number]?.known.insert(identity.id)
        let shown = inodes.show(inode, as: nodes[number]?.inode)
        nodes[number]?.inode = shown
        return (number, shown)
    }

    /// An item was looked at where a number has its place.
    ///
    /// - Parameters:
    ///   - inode: what programs are to be told as its number, when they were not told one yet.
    ///   - changes: ``changes`` when it was looked at.
    /// - Returns: what they are told.
    package mutating func found(
        _ number: Number, as identity: Identity, inode: UInt64, at changes: UInt64
    ) -> UInt64 {
        guard let node = nodes[number], let shown = node.inode else { return inode }
        guard node.known.contains(identity.id) || changes == self.changes else { return shown }
        if nodes[number]?.isFound(as: identity) == true { inodes.show(inode, as: shown) }
        return shown
    }

    /// What programs are told as the numbers of the names in a folder: each of them another one.
    ///
    /// - Parameter names: with what programs are to be told when they were not told one yet.
    package mutating func inodes(of names: [(name: ItemName, inode: UInt64)], in folder: Number) -> [UInt64] {
        let known = names.map { number(of: $0.name, in: folder).flatMap { inode(of: $0) } }
        var others = inodes.list(zip(names, known).filter { $0.1 == nil }.map(\.0.inode)).makeIterator()
        return zip(names, known).map { $0.1 ?? others.next() ?? $0.0.inode }
    }

    package func inode(of number: Number) -> UInt64? { nodes[number]?.inode }

    /// Whether it was found as this.
    package func isKnown(_ number: Number, as id: ItemIdentifier) -> Bool {
        nodes[number]?.known.contains(id) == true
    }

    /// Whether a program has made it, and its provider was not seen to have given it another identifier.
    package func isNew(_ number: Number, as id: ItemIdentifier) -> Bool {
        guard let node = nodes[number] else { return false }
        return node.isNew && node.known.contains(id)
    }

    // MARK: What programs change

    /// A program has made something, and what had that name before is gone.
    package mutating func made(
        _ name: ItemName, in folder: Number, as identity: Identity, inode: UInt64
    ) -> (number: Number, inode: UInt64)? {
        changes += 1
        if let known = nodes[folder]?.children[name] { remove(known) }
        let made = lookUp(name, in: folder, as: identity, inode: inode, at: changes)
        if let made { nodes[made.number]?.isNew = true }
        return made
    }

    /// A program has removed what had that name.
    package mutating func removed(_ name: ItemName, in folder: Number) {
        changes += 1
        if let known = nodes[folder]?.children[name] { remove(known) }
    }

    /// A program has renamed something.
    ///
    /// - Parameter replaced: the identifier of the document that lives on with the contents of the one that took its place.
    package mutating func renamed(
        _ name: ItemName, in folder: Number, to newName: ItemName, in newFolder: Number,
        replacing replaced: ItemIdentifier? = nil
    ) {
        changes += 1
        guard let number = number(of: name, in: folder) else {
            if let old = nodes[newFolder]?.children[newName] { remove(old) }
            return
        }
        if let replaced {
            nodes[number]?.known.insert(replaced)
            let old = nodes[newFolder]?.children[newName].flatMap { nodes[$0] }
            let isNew = old?.isNew ?? false
            nodes[number]?.isNew = isNew
        }
        move(number, to: newName, in: newFolder)
    }

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

    /// Counts one more look-up, for somebody else than the kernel.
    package mutating func keep(_ number: Number) { nodes[number]?.lookups += 1 }

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
            if let inode = node.inode { inodes.forget(inode) }
            guard let parent = node.parent, let name = node.name else { return }
            nodes[parent]?.children[name] = nil
            number = parent
        }
    }
}
