/// The steps of a change to the folder, at each of which the process may end.
enum ChangeStep: String, CaseIterable, Sendable {
    /// The new contents are on disk under a temporary name.
    case staged
    /// What is to be done is written down for good.
    case planned
    /// The temporary file has its name, or has exchanged it, or the item's file has its temporary name.
    case placed
    /// What was replaced or taken away is what was expected.
    case verified
    /// The item has its new name.
    case moved
    /// All names are on disk.
    case flushed
    /// The item is known in its new state; the temporary name is free again.
    case cleaned
}

/// Thrown by a test in the place of the process' end: nothing is cleaned up behind it.
struct SimulatedCrash: Error {}
