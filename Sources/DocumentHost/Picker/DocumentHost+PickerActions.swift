import DocumentModel
import DocumentStorage
import DocumentTypes
import FileCoordination
import ProviderLauncher
import Synchronization

extension DocumentHost {
    /// What may be done with an item (PICK-20): what its provider can do, the item allows, and the tool has the right to. Of a
    /// place that was only exported to nothing may be (PICK-3).
    func actions(
        on item: IndexedItem, at location: Location, in picker: OpenPicker, _ sight: PickerSight
    ) -> PickerActions {
        guard let domain = domains.find(item.domain), item.state != .nameClash else { return [] }
        let isFolder = item.item.kind == .folder
        // Things are put into it, and that is all (PICK-13).
        guard !domain.isDropBox else { return isFolder && domain.isModifying ? [.create] : [] }
        guard !exported.isSign(item.key, of: picker.owner) else { return [] }
        let capabilities = item.item.capabilities
        var actions: PickerActions = isFolder ? [.search] : []
        if domain.givesThumbnails, isFolder || item.thumbnailVersion != nil { actions.insert(.thumbnail) }
        if !isFolder, capabilities.contains(.read) { actions.insert(.copy) }
        guard domain.isModifying, sight.takes(location) else { return actions }
        if capabilities.contains(.write) { actions.insert(isFolder ? .create : .write) }
        guard !location.isRoot else { return actions }
        if capabilities.contains(.rename) { actions.insert(.rename) }
        if capabilities.contains(.move) { actions.insert(.move) }
        if capabilities.contains(.delete) { actions.insert(.delete) }
        return actions
    }

    /// - Throws: `notPermitted` when nothing can be made in a folder.
    func requireCreating(
        in folder: IndexedItem, at location: Location, _ picker: OpenPicker, _ sight: PickerSight
    ) throws(DocumentError) {
        guard !actions(on: folder, at: location, in: picker, sight).contains(.create) else { return }
        try sight.require(.writing, of: location)
        throw DocumentError(.notPermitted, "\(location) is read-only on the remote; choose another folder.")
    }
}
