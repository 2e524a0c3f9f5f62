import DocumentModel
import DocumentStorage
import FileCoordination

/// What every transfer is at, gathered from those who carry them out: nothing of it is asked of a provider.
struct TransferBoard: Sendable {
    let materialiser: Materialiser
    let sender: Sender
    let pinKeeper: PinKeeper
    let requests: DownloadRequests
    let failures: DownloadFailures
    let clock: @Sendable () -> Duration

    /// - Parameter status: what else is known of the item, its marks among it.
    func transfers(of item: IndexedItem, _ status: ItemStatus) -> ItemTransfers {
        guard item.item.kind == .document || item.isFolderToBeMade else { return ItemTransfers() }
        let key = item.key
        // Most items are in sync, and nothing of them needs to be looked up.
        if item.state == .materialised, status.problem == nil { return ItemTransfers() }
        var circumstances = TransferCircumstances(state: item.state, isCurrent: item.isCurrent)
        circumstances.isFolderToBeMade = item.isFolderToBeMade
        // Why a folder could not be made is not in the index, which is about its place.
        circumstances.problem = item.isFolderToBeMade ? sender.problem(of: key) : status.problem
        circumstances.marks = status.marks
        circumstances.remoteSize = item.item.size.map { UInt64(max($0, 0)) }
        circumstances.localSize = item.local.map { UInt64(max($0.size, 0)) }
        if item.isUnsent || item.isFolderToBeMade {
            circumstances.upload = sender.meter(of: key)
            (circumstances.sending, circumstances.obstacle) = sender.standing(of: key)
            if circumstances.problem == nil, case .held = circumstances.sending {
                circumstances.problem = refusal(of: key, status.marks)
            }
        } else {
            circumstances.download = materialiser.transfers.meter(of: key)
            (circumstances.fetching, circumstances.obstacle) = pinKeeper.standing(of: key)
            circumstances.isRequested =
                circumstances.download != nil || requests.contains(key) || status.marks.keeping == .pinned
        }
        return circumstances.transfers(at: clock())
    }

    /// Why a document is not sent, where it did not come so far that the index was told: a folder around it cannot be made, for
    /// one.
    private func refusal(of key: ItemKey, _ marks: ItemMarks) -> DocumentError? {
        // What was paused while it was sent has not failed.
        guard !marks.isPaused, marks.keeping != .excluded, let error = sender.problem(of: key) else { return nil }
        return error.code.errorClass == .transient || error.code == .cancelled ? nil : error
    }

    /// What is still wrong with an item, of what the index knows to be: nothing where that is over, and nobody wants it.
    func standing(_ problem: DocumentError, of item: IndexedItem, _ marks: ItemMarks) -> DocumentError? {
        guard failures.isOver(problem, of: item) else { return problem }
        let key = item.key
        let isWanted =
            materialiser.transfers.meter(of: key) != nil || requests.contains(key) || marks.keeping == .pinned
            || pinKeeper.standing(of: key).standing != .none
        return isWanted ? problem : nil
    }

    /// Documents that something is to be told of although the index does not say so.
    var wanted: [ItemKey] { requests.keys + pinKeeper.paused + materialiser.transfers.keys }
}

extension IndexedItem {
    /// Whether it is a folder that was made here, and that its provider does not know yet (CONT-7).
    var isFolderToBeMade: Bool { item.kind != .document && isArriving }
}
