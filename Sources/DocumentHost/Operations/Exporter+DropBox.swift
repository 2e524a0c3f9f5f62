import DocumentModel
import DocumentStorage
import SystemPackage

extension Exporter {
    /// How many numbers are tried before a name is made up.
    private static let mostNumbers = 20

    /// Puts a copy of a local document into a drop box. What is there already is neither told nor replaced: the document
    /// goes beside it, under a name like the one that was asked for (PICK-13).
    func deposit(
        _ source: FilePath, as name: ItemName, in parent: IndexedItem, on domain: Domain, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> IndexedItem {
        guard !replacing else {
            throw DocumentError(
                .notPermitted, "\(domain.name) is a drop box, and nothing in it can be replaced: only put it in.")
        }
        for number in 1...Self.mostNumbers + 1 {
            let suffix = number > Self.mostNumbers ? String(UInt32.random(in: 0 ... .max), radix: 16) : "\(number)"
            let free = number == 1 ? name : try Self.name(like: name, suffix)
            do throws(DocumentError) {
                return try await make(
                    free, kind: .document, from: source, in: parent,
                    at: Location(domain: domain.name, components: [free]), false, domain, onProgress)
            } catch {
                guard error.code == .destinationExists, number <= Self.mostNumbers else { throw error }
            }
        }
        throw DocumentError(.internal, "No name was found for the document; give it another one.")
    }

    /// `report 2.txt` for `report.txt`.
    private static func name(like name: ItemName, _ suffix: String) throws(DocumentError) -> ItemName {
        let ending = name.pathExtension.map { "." + $0 } ?? ""
        var base = name.rawValue.dropLast(ending.count)
        while base.utf8.count + ending.utf8.count + suffix.utf8.count + 1 > 255, !base.isEmpty { base.removeLast() }
        return try ItemName("\(base) \(suffix)\(ending)")
    }
}
