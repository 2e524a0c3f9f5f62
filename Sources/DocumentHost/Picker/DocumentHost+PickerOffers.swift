import DocumentModel
import DocumentStorage
import DocumentTypes
import DocumentWire
import FileCoordination
import Glibc
import Logging
import ProviderLauncher
import Synchronization
import SystemPackage

extension DocumentHost {
    func fittingDomains(
        _ request: PickerRequest, _ asked: [ContentType], _ types: TypeDatabase
    ) throws(DocumentError) -> [Domain] {
        func offers(_ domain: Domain) -> Bool {
            let manifest = domain.bundle.manifest
            guard manifest.isOffered(for: request.mode, types: asked, conforms: types.conforms) else { return false }
            return request.mode.choosesDocuments || manifest.capabilities.contains(.modifying)
        }
        if let name = request.domain {
            let domain = try domains.domain(name)
            guard offers(domain) else {
                let wanted = asked.map(\.identifier).joined(separator: ", ")
                throw DocumentError(
                    .notPermitted,
                    "\(name) cannot be chosen in: its provider \(domain.bundle.manifest.name) does not offer the mode \(request.mode.rawValue) for the type \(wanted)."
                )
            }
            return [domain]
        }
        let fitting = domains.all.filter(offers)
        guard fitting.isEmpty else { return fitting }
        guard domains.all.isEmpty else {
            throw DocumentError(
                .notConfigured,
                "No domain offers the mode \(request.mode.rawValue) for \(asked.map(\.identifier).joined(separator: ", ")); “docent provider list” shows what each provider can do."
            )
        }
        throw DocumentError(
            .notConfigured, "There is no domain yet: add one with “docent domain add NAME --provider ID”.")
    }

    func original(
        of request: PickerRequest, _ types: TypeDatabase
    ) async throws(DocumentError) -> OpenPicker.Original? {
        guard let path = request.originalPath else { return nil }
        guard let name = FilePath(path).lastComponent?.string else {
            throw DocumentError(.invalidArgument, "“\(ItemName.printable(path))” is not the name of a file.")
        }
        let checked = try ItemName(name)
        let (kind, size): (ItemKind, Int64?) = try await outside.look(at: FilePath(path)) {
            var status = stat()
            guard stat(path, &status) == 0 else {
                throw DocumentError(
                    .noSuchItem, "There is no file \(path) (\(Errno(rawValue: errno))): check the name.")
            }
            if OriginalPath.isPackage(FilePath(path)) { return (.package, nil) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw DocumentError(
                    .invalidArgument, "\(path) is neither a file nor a package, and only documents can be sent.")
            }
            return (.document, Int64(status.st_size))
        }
        let type =
            kind == .package
            ? ContentType(kind: kind, pathExtension: checked.pathExtension) : types.type(ofDocumentNamed: name)
        return OpenPicker.Original(name: checked, type: type, size: size)
    }

    func root(
        of domain: Domain, in picker: OpenPicker, _ sight: PickerSight
    ) throws(DocumentError) -> PickerRoot {
        let status = domain.supervisor.status
        var capabilities: ItemCapabilities = domain.isModifying ? .all : .readOnly
        var actions: PickerActions = []
        if let root = try storage.read({ try $0.item(domain.rootID, in: domain.name) }) {
            capabilities.formIntersection(root.item.capabilities)
            actions = self.actions(on: root, at: Location(domain: domain.name), in: picker, sight)
        }
        return PickerRoot(
            id: try picker.entryID(ItemKey(domain: domain.name, id: domain.rootID)), domain: domain.name,
            providerName: domain.bundle.manifest.name, providerState: ProviderState(status.state),
            problem: status.problem, capabilities: capabilities, isDropBox: domain.isDropBox,
            actions: actions)
    }
}
