import DocumentTransport

/// The host's side of a connection to a provider, whatever the provider sends; as a host tool's to the daemon.
enum InitiatorTarget: FuzzTarget {
    static let name = "connection-initiator"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        var connection = PlayedConnection(.initiator)
        try connection.play(input)
    }
}
