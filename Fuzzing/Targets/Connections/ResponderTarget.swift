import DocumentTransport

/// A provider's side of the connection to its host, whatever the host sends; as the daemon's to a host tool.
enum ResponderTarget: FuzzTarget {
    static let name = "connection-responder"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        var connection = PlayedConnection(.responder)
        try connection.play(input)
    }
}
