import DocumentModel
package import FileCoordination

extension CoordinatedItem {
    /// An item by its path below `work:/`: `f/` is a folder, `p.pkg/` a package, anything else a document. Its
    /// identifier is the path that it was made with, if no other is given.
    package static func at(_ path: String, is id: String? = nil) throws -> CoordinatedItem {
        let components = path.split(separator: "/").map(String.init)
        var enclosing = [Folder(key: try key(""), isPackage: false)]
        for count in 1..<max(components.count, 1) {
            enclosing.append(
                Folder(
                    key: try key(components[..<count].joined(separator: "/")),
                    isPackage: components[count - 1].hasSuffix(".pkg")))
        }
        let kind: ItemKind =
            !path.hasSuffix("/") ? .document : components.last?.hasSuffix(".pkg") == true ? .package : .folder
        return CoordinatedItem(
            subject: .item(try key(id ?? components.joined(separator: "/"))), kind: kind, enclosing: enclosing,
            location: try Location("work:/" + components.joined(separator: "/")))
    }

    package static func key(_ path: String) throws -> Key {
        Key(domain: try DomainName("work"), id: try ItemIdentifier("/" + path))
    }
}
