import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentHost

@Suite("What a transfer waits for")
struct TransferCircumstancesTests {
    private func unsent(_ state: ItemState = .changed) -> TransferCircumstances {
        var circumstances = TransferCircumstances(state: state, isCurrent: true)
        circumstances.localSize = 1_000
        return circumstances
    }

    private func missing(_ state: ItemState = .placeholder) -> TransferCircumstances {
        var circumstances = TransferCircumstances(state: state, isCurrent: false)
        circumstances.remoteSize = 1_000
        return circumstances
    }

    private func status(_ circumstances: TransferCircumstances) throws -> ItemStatus {
        ItemStatus(
            item: Item(
                id: try ItemIdentifier("a"), parentID: .root, name: try ItemName("a.txt"), kind: .document,
                version: try ItemVersion(content: [1])),
            location: try Location("work:/a.txt"), state: circumstances.state, path: "/a.txt",
            transfers: circumstances.transfers(at: .seconds(9)), marks: circumstances.marks)
    }

    private func meter(_ done: UInt64) -> TransferMeter {
        var meter = TransferMeter(at: .seconds(8))
        meter.report(TransferProgress(done: done, expected: 1_000), at: .seconds(9))
        return meter
    }

    @Test("XFER-1, XFER-2, XFER-5: what is in sync is a provider's, here, and sent, and there is nothing to tell of it")
    func inSync() throws {
        let status = try status(TransferCircumstances(state: .materialised, isCurrent: true))
        #expect(status.isUbiquitous && status.isDownloaded && status.isUploaded)
        #expect(!status.isDownloading && !status.isUploading)
        #expect(status.percentDownloaded == 100 && status.percentUploaded == 100)
        #expect(status.transfers == ItemTransfers())
    }

    @Test("XFER-2, XFER-8: older contents are downloaded and not current; those that were changed here are")
    func downloadingStatus() throws {
        #expect(try status(missing()).downloadingStatus == .notDownloaded)
        #expect(try status(missing(.outdated)).downloadingStatus == .downloaded)
        #expect(try !status(missing(.outdated)).isDownloaded)
        for state in [ItemState.changed, .sending, .conflict] {
            let status = try status(unsent(state))
            #expect(status.downloadingStatus == .current && status.isDownloaded && !status.isUploaded)
        }
        #expect(try status(unsent(.conflict)).hasUnresolvedConflicts)
    }

    @Test(
        "XFER-8: of a folder that was made here is told why it cannot be made on the remote, and nothing where it can")
    func folderToBeMade() {
        var folder = TransferCircumstances(state: .placeholder, isCurrent: false)
        folder.isFolderToBeMade = true
        for standing in [TransferCircumstances.Standing.none, .queued, .running] {
            folder.sending = standing
            #expect(folder.transfers(at: .zero) == ItemTransfers())
        }
        folder.marks.isPaused = true
        #expect(folder.transfers(at: .zero) == ItemTransfers())
        folder.marks.isPaused = false
        folder.obstacle = .notAuthenticated
        #expect(folder.transfers(at: .zero).upload?.wait == .signIn)
        folder.obstacle = nil
        folder.problem = DocumentError(.cannotSynchronize, "Its name is not taken.")
        folder.sending = .held(until: nil)
        let told = folder.transfers(at: .zero)
        #expect(told.upload?.wait == .provider && told.upload?.problem == folder.problem && told.download == nil)
    }

    @Test("XFER-3, XFER-4: contents on their way are told with how far they are")
    func downloading() throws {
        var circumstances = missing(.materialising)
        circumstances.download = meter(250)
        circumstances.isRequested = true
        let status = try status(circumstances)
        #expect(status.isDownloading && !status.isDownloaded && status.percentDownloaded == 25)
        #expect(status.transfers.isDownloadRequested && status.transfers.download?.bytesPerSecond == 250)
        #expect(status.transfers.download?.timeLeft == .seconds(3))
        #expect(status.isUploaded && !status.isUploading && status.transfers.upload == nil)
    }

    @Test("XFER-6, XFER-7: changes on their way are told with how far they are")
    func uploading() throws {
        var circumstances = unsent(.sending)
        circumstances.upload = meter(500)
        circumstances.sending = .running
        let status = try status(circumstances)
        #expect(status.isUploading && !status.isUploaded && status.percentUploaded == 50)
        #expect(status.isDownloaded && !status.isDownloading && status.transfers.download == nil)
    }

    @Test("XFER-8: a full disk is told from other troubles with it")
    func fullDisk() throws {
        var circumstances = unsent()
        circumstances.problem = DocumentError(
            .localStorage,
            "It could not be copied: the disk is full. Free some space, for example by evicting documents, and try again."
        )
        circumstances.sending = .held(until: nil)
        #expect(try status(circumstances).transfers.upload?.wait == .localSpace)
        circumstances.sending = .held(until: .seconds(13))
        let retried = try status(circumstances).transfers.upload
        #expect(retried?.wait == .localSpace && retried?.retryIn == .seconds(4))
    }

    @Test(
        "XFER-8: what a change waits for is told, and is what would end it",
        arguments: [
            (DocumentError.Code.notAuthenticated, TransferWait.signIn), (.serverUnreachable, .remote),
            (.insufficientQuota, .remoteSpace), (.localStorage, .change), (.cannotSynchronize, .provider),
            (.noSuchItem, .change), (.notPermitted, .change),
        ])
    func errors(code: DocumentError.Code, wait: TransferWait) throws {
        var circumstances = unsent()
        circumstances.problem = DocumentError(code, "It did not work.")
        circumstances.sending = .held(until: nil)
        let held = try status(circumstances)
        #expect(held.transfers.upload?.wait == wait)
        #expect(held.uploadingError?.code == code && held.downloadingError == nil)
        circumstances.sending = .held(until: .seconds(13))
        let retried = try status(circumstances)
        #expect(retried.transfers.upload?.wait == .retry && retried.transfers.upload?.retryIn == .seconds(4))
    }

    @Test(
        "XFER-8: what the remote has refused says why also while it is tried again, until it is on its way",
        arguments: [
            (DocumentError.Code.notAuthenticated, TransferWait.signIn), (.serverUnreachable, .remote),
            (.insufficientQuota, .remoteSpace), (.cannotSynchronize, .provider), (.excludedFromSync, .inclusion),
            // That it was busy is over when it is asked again.
            (.busy, .turn),
        ])
    func triedAgain(code: DocumentError.Code, wait: TransferWait) throws {
        for (standing, hasBegun) in [
            (TransferCircumstances.Standing.queued, false), (.running, false), (.running, true),
        ] {
            var circumstances = unsent()
            circumstances.problem = DocumentError(code, "It was refused.")
            circumstances.sending = standing
            if hasBegun { circumstances.upload = meter(0) }
            #expect(try status(circumstances).transfers.upload?.wait == wait)
            circumstances.state = .sending
            if hasBegun { #expect(try status(circumstances).transfers.upload?.isUnderWay == true) }
        }
    }

    @Test("XFER-8: each direction has its own error")
    func directions() throws {
        var circumstances = missing()
        circumstances.problem = DocumentError(.serverUnreachable, "The remote is away.")
        let status = try status(circumstances)
        #expect(status.downloadingError?.code == .serverUnreachable && status.uploadingError == nil)
        #expect(status.transfers.download?.wait == .remote)
        circumstances.problem = DocumentError(.providerDied, "It ended.")
        // DOWN-2: the next access tries again, and nothing else does.
        #expect(try self.status(circumstances).transfers.download?.wait == .request)
    }

    @Test("XFER-8: the other reasons: turn, use, choice, pause, exclusion")
    func otherReasons() throws {
        var circumstances = unsent()
        circumstances.sending = .queued
        #expect(circumstances.transfers(at: .zero).upload?.wait == .turn)
        circumstances.obstacle = .serverUnreachable
        #expect(circumstances.transfers(at: .zero).upload?.wait == .remote)
        circumstances.sending = .parked
        #expect(circumstances.transfers(at: .zero).upload?.wait == .use)
        circumstances.marks = ItemMarks(isPaused: true)
        #expect(circumstances.transfers(at: .zero).upload?.wait == .resume)
        circumstances.marks = ItemMarks(keeping: .excluded, isPaused: true)
        #expect(circumstances.transfers(at: .zero).upload?.wait == .inclusion)
        #expect(unsent(.conflict).transfers(at: .zero).upload?.wait == .choice)
        var paused = missing(.materialising)
        paused.download = meter(100)
        paused.marks = ItemMarks(isPaused: true)
        #expect(paused.transfers(at: .zero).download?.wait == .resume)
    }

    @Test("XFER-8: the attributes tell what was asked for, what is in conflict, and what is excluded, in every state")
    func attributes() throws {
        for state in ItemState.allCases {
            var circumstances = TransferCircumstances(
                state: state, isCurrent: [.materialised, .changed, .sending, .conflict].contains(state))
            var told = try status(circumstances)
            #expect(told.hasUnresolvedConflicts == (state == .conflict))
            // Of a conflict of others the remote keeps the other side, whatever is here of the document.
            told.item.conflictVersions = 1
            #expect(told.hasUnresolvedConflicts)
            #expect(
                try !status(circumstances).isExcludedFromSync && !status(circumstances).transfers.isDownloadRequested)
            circumstances.isRequested = true
            // What is here need not be asked for any more.
            #expect(try status(circumstances).transfers.isDownloadRequested == !circumstances.isCurrent)
            for keeping in [Keeping.automatic, .whileCurrent, .onlineOnly, .pinned] {
                circumstances.marks = ItemMarks(keeping: keeping)
                #expect(try !status(circumstances).isExcludedFromSync)
            }
            circumstances.marks = ItemMarks(keeping: .excluded)
            #expect(try status(circumstances).isExcludedFromSync)
        }
    }

    @Test(
        "XFER-8: what keeps contents from coming has a slot of its own, and says what would end it, wanted or not",
        arguments: [
            // Nobody has uploaded it yet, or it is gone.
            (DocumentError.Code.noSuchItem, TransferWait.change), (.versionNoLongerAvailable, .change),
            (.serverUnreachable, .remote), (.insufficientQuota, .remoteSpace), (.notAuthenticated, .signIn),
            (.localStorage, .change), (.cannotSynchronize, .provider), (.notPermitted, .change),
        ])
    func downloadErrors(code: DocumentError.Code, wait: TransferWait) throws {
        for state in [ItemState.placeholder, .outdated] {
            var circumstances = missing(state)
            circumstances.problem = DocumentError(code, "It did not work.")
            circumstances.isRequested = true
            circumstances.fetching = .held(until: nil)
            let held = try status(circumstances)
            #expect(held.transfers.download?.wait == wait)
            #expect(held.downloadingError?.code == code && held.uploadingError == nil && held.transfers.upload == nil)
            #expect(held.downloadingStatus == (state == .outdated ? .downloaded : .notDownloaded))
            (circumstances.isRequested, circumstances.fetching) = (false, .none)
            // The next access tries again (DOWN-2): it waits for nobody's signal.
            let expected = wait == .provider ? TransferWait.request : wait
            #expect(try status(circumstances).transfers.download?.wait == expected)
        }
    }

    @Test("XFER-8: whatever is so, what is not under way says what it waits for")
    func always() {
        for seed in 0..<5_000 as Range<UInt64> {
            var numbers = SplitMix(state: seed)
            let state = ItemState.allCases.randomElement(using: &numbers) ?? .changed
            var circumstances = TransferCircumstances(
                state: state, isCurrent: [.materialised, .changed, .sending, .conflict].contains(state))
            let codes: [DocumentError.Code] = [.busy, .serverUnreachable, .noSuchItem, .providerDied]
            if Bool.random(using: &numbers), let code = codes.randomElement(using: &numbers) {
                circumstances.problem = DocumentError(code, "It did not work.")
            }
            circumstances.isRequested = Bool.random(using: &numbers)
            if Bool.random(using: &numbers) { circumstances.download = meter(7) }
            if Bool.random(using: &numbers) { circumstances.upload = meter(7) }
            let standings: [TransferCircumstances.Standing] = [
                .none, .queued, .parked, .running, .held(until: nil), .held(until: .seconds(99)),
            ]
            circumstances.sending = standings.randomElement(using: &numbers) ?? .none
            circumstances.marks.isPaused = Bool.random(using: &numbers)
            let transfers = circumstances.transfers(at: .seconds(9))
            for transfer in [transfers.download, transfers.upload].compactMap({ $0 }) {
                #expect(transfer.isUnderWay == (transfer.wait == nil))
                if transfer.isUnderWay { #expect(state == .materialising || state == .sending) }
                if transfer.wait == .request { #expect(!transfers.isDownloadRequested) }
                if transfer.bytesPerSecond != nil { #expect(transfer.isUnderWay) }
            }
            #expect(transfers.download == nil || transfers.upload == nil)
            #expect((transfers.upload == nil) == ![.changed, .sending, .conflict].contains(state))
        }
    }
}
