/// One way in which a host that is right in everything else is damaged: what the attacks on hosts are tried with.
enum HostDamage: String, CaseIterable {
    /// None: what stands between a host and its tools is no damage by itself.
    case nothing
    case failureLost = "failure-lost"
    case failureAsMissing = "failure-as-missing"
    case failureAsSuccess = "failure-as-success"
    case failureCloses = "failure-closes"
    case documentInPlace = "document-in-place"
    case editLost = "edit-lost"
    case processStays = "process-stays"
    case processUnburied = "process-unburied"
    case fileStays = "file-stays"
    case fileOutside = "file-outside"
    case logPainted = "log-painted"
    case connectionsStay = "connections-stay"
    case memoryGrows = "memory-grows"
    case processOutlives = "process-outlives"
    case featureRefused = "feature-refused"
    case documentSwapped = "document-swapped"
    case othersWait = "others-wait"
    case hostDies = "host-dies"

    var summary: String {
        switch self {
        case .nothing: "Is a good host."
        case .failureLost: "Does not tell of failures."
        case .failureAsMissing: "Says of every failure that there is no such document."
        case .failureAsSuccess: "Says that everything was sent, also what was not."
        case .failureCloses: "Closes the connection of whoever would have to be told of a failure."
        case .documentInPlace: "Leaves half a document in its place when it cannot be had."
        case .editLost: "Empties documents that could not be sent."
        case .processStays: "Leaves a process behind after a failure."
        case .processUnburied: "Does not take in a child that has ended."
        case .fileStays: "Leaves a file in its staging folder after a failure."
        case .fileOutside: "Writes into the home folder after a failure."
        case .logPainted: "Writes what a provider said into its log as it came."
        case .connectionsStay: "Keeps the connections of tools that are gone."
        case .memoryGrows: "Takes a gigabyte of memory after a failure, as it says."
        case .processOutlives: "Leaves a process of a provider's behind when it ends."
        case .featureRefused: "Refuses a provider that offers a feature which nobody knows."
        case .documentSwapped: "Gives other contents than the provider's."
        case .othersWait: "Makes everybody wait while somebody waits for a provider."
        case .hostDies: "Dies of the first failure."
        }
    }
}
