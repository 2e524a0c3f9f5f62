internal import DocumentModel
internal import DocumentSync

/// The shipped planner, shown something else than there is, or with something else made of its plan.
enum MistakenPlanner {
    static func planner(_ mistake: PlantedMistake?) -> SimulatedEngine.Planner {
        guard let mistake else { return { SyncPlanner.plan($0, $1) } }
        return { trees, circumstances in
            var trees = trees
            var circumstances = circumstances
            blind(&trees, &circumstances, by: mistake)
            var plan = SyncPlanner.plan(trees, circumstances)
            plan.operations.removeAll { operation in
                switch (mistake, operation) {
                case (.forgetsToRevive, .revive), (.forgetsToRestore, .restore): true
                default: false
                }
            }
            return plan
        }
    }

    private static func blind(
        _ trees: inout SyncTrees, _ circumstances: inout SyncPlanner.Circumstances, by mistake: PlantedMistake
    ) {
        switch mistake {
        case .ignoresDeletionGuard: circumstances.deletionGuard = DeletionGuard(minimum: 1_000_000)
        case .forgetsWhatIsUnderWay: circumstances.underWay = []
        case .deletesWhatChangedThere, .removesWhatChangedHere, .sendsOverNewerVersion, .treatsChangedAsSent,
            .neverFollowsMoves:
            for id in trees.synced.keys { blind(id, &trees, by: mistake) }
        default: break
        }
    }

    private static func blind(_ id: ItemIdentifier, _ trees: inout SyncTrees, by mistake: PlantedMistake) {
        switch mistake {
        case .deletesWhatChangedThere:
            if case .gone = trees.local[id], let there = trees.remote[id]?.node {
                trees.synced[id]?.version = there.version
            }
        case .removesWhatChangedHere:
            if case .gone = trees.remote[id] { trees.synced[id]?.revision = trees.local[id]?.node?.revision }
        case .sendsOverNewerVersion:
            if trees.isChanged(id), let there = trees.remote[id]?.node { trees.synced[id]?.version = there.version }
        case .treatsChangedAsSent:
            // Whatever lies where it was agreed on is taken to be unchanged once the remote has something newer.
            if let there = trees.remote[id]?.node, there.version != trees.synced[id]?.version {
                trees.synced[id]?.revision = trees.local[id]?.node?.revision
            }
        case .neverFollowsMoves:
            if case .present(var there) = trees.remote[id], let here = trees.local[id]?.node {
                there.place = here.place
                trees.remote[id] = .present(there)
            }
        default: break
        }
    }
}
