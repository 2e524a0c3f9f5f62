package import DocumentModel
import DocumentStorage

/// What is known of an item's transfers, and what follows for people: what each of them waits for, which is also what
/// would end its waiting (XFER-8). Without I/O.
package struct TransferCircumstances: Hashable, Sendable {
    /// Where a document stands among those of its domain that are to be sent.
    package enum Standing: Hashable, Sendable {
        case none
        /// It waits for its turn.
        case queued
        /// It waits for those who use it.
        case parked
        case running
        /// It failed; until that time, or until the provider's signal.
        case held(until: Duration?)
    }

    package var state: ItemState
    /// Whether it is a folder that was made here, and that its provider does not know yet.
    package var isFolderToBeMade = false
    /// Whether the version that the provider last told is here, or a newer one of our own.
    package var isCurrent: Bool
    /// What went wrong with it last.
    package var problem: DocumentError?
    package var marks = ItemMarks()
    /// In bytes: of the contents that would come, and of those that are here.
    package var remoteSize: UInt64?
    package var localSize: UInt64?
    /// Somebody waits for its contents, or it is kept here.
    package var isRequested = false
    /// A transfer that somebody has begun; its bytes may still wait for something.
    package var download: TransferMeter?
    package var upload: TransferMeter?
    package var sending = Standing.none
    package var fetching = Standing.none
    /// Why nothing is sent to, or fetched from, the provider.
    package var obstacle: DocumentError.Code?

    package init(state: ItemState, isCurrent: Bool) {
        self.state = state
        self.isCurrent = isCurrent
    }

    package func transfers(at now: Duration) -> ItemTransfers {
        ItemTransfers(
            download: downloading(at: now), upload: uploading(at: now), isDownloadRequested: !isCurrent && isRequested)
    }

    private var isUnsent: Bool { state == .changed || state == .sending || state == .conflict }

    // MARK: Out

    private func uploading(at now: Duration) -> TransferStatus? {
        guard isUnsent || isFolderToBeMade else { return nil }
        var status = TransferStatus(expected: localSize)
        if let upload {
            status = upload.status(at: now, expecting: localSize)
            if state == .sending { return status }
            // It has begun, and nothing of it is on its way: others, or those who use the document, are before it.
            (status.bytesPerSecond, status.timeLeft) = (nil, nil)
        }
        status.problem = problem
        let wait = waitForSending(at: now, &status)
        // Folders are made in no time: of one that nothing is wrong with, and nothing in the way of, there is nothing to tell.
        if isFolderToBeMade, problem == nil, [.turn, .inclusion, .resume].contains(wait) { return nil }
        status.wait = wait
        return status
    }

    private func waitForSending(at now: Duration, _ status: inout TransferStatus) -> TransferWait {
        if state == .conflict { return .choice }
        if marks.keeping == .excluded { return .inclusion }
        if marks.isPaused { return .resume }
        if let wait = wait(for: sending, hasBegun: upload != nil, at: now, &status) { return wait }
        // Tried again by now, or soon: that what it was refused for is over, nobody knows before it is on its way.
        guard let problem, problem.code.errorClass == .resolvable else { return .turn }
        return Self.remedy(for: problem) ?? .turn
    }

    // MARK: In

    private func downloading(at now: Duration) -> TransferStatus? {
        guard !isUnsent, !isFolderToBeMade, !isCurrent else { return nil }
        var status = TransferStatus(expected: remoteSize)
        if let download {
            status = download.status(at: now, expecting: remoteSize)
            if state == .materialising, !marks.isPaused { return status }
            (status.bytesPerSecond, status.timeLeft) = (nil, nil)
        }
        guard state != .nameClash else { return nil }
        status.problem = problem
        let isWanted = download != nil || isRequested || fetching != .none
        guard isWanted || problem != nil else { return nil }
        if isWanted, marks.isPaused {
            status.wait = .resume
            return status
        }
        status.wait =
            wait(for: fetching, hasBegun: download != nil, at: now, &status)
            ?? (isWanted ? .turn : problem.flatMap(Self.remedy) ?? .request)
        // What nobody wants is not to come by itself (DOWN-2).
        if !isWanted, status.wait == .retry || status.wait == .provider { status.wait = .request }
        return status
    }

    // MARK: Both

    private func wait(
        for standing: Standing, hasBegun: Bool, at now: Duration, _ status: inout TransferStatus
    ) -> TransferWait? {
        switch standing {
        case .parked: return .use
        case .held(let until?):
            status.retryIn = max(until - now, .zero)
            // Time alone makes no room on the disk.
            return problem.flatMap(Self.remedy) == .localSpace ? .localSpace : .retry
        case .held(nil): return (problem.map(Self.remedy) ?? Self.remedy(for: obstacle)) ?? .provider
        case .queued, .running, .none:
            // Tried again by now; what went wrong before is not what it waits for.
            if hasBegun { return nil }
            if let obstacle { return Self.remedy(for: obstacle) ?? .provider }
            return standing == .none ? problem.map { Self.remedy(for: $0) ?? .change } : nil
        }
    }

    /// What would end an error, where it ends by something else than time.
    package static func remedy(for error: DocumentError) -> TransferWait? {
        // Not every trouble with this disk is that it is full.
        if error.code == .localStorage, !error.isOutOfSpace { return .change }
        return remedy(for: error.code)
    }

    package static func remedy(for code: DocumentError.Code?) -> TransferWait? {
        switch code {
        case nil: nil
        case .notAuthenticated: .signIn
        case .serverUnreachable: .remote
        case .insufficientQuota: .remoteSpace
        case .localStorage: .localSpace
        case .excludedFromSync: .inclusion
        case .cannotSynchronize: .provider
        case .inConflict: .choice
        case let code? where code.errorClass == .transient: .retry
        case .some: .change
        }
    }
}
