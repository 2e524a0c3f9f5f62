package import DocumentModel

/// What travels between the two sides of a connection: the checked form of `docent.wire.v1.Frame`.
package struct Frame: Hashable, Sendable {
    /// The request that it belongs to; 0 for the connection itself.
    package var id: UInt64
    package var kind: Kind

    package init(id: UInt64 = 0, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }

    package enum Kind: Hashable, Sendable {
        indirect case hello(Hello)
        indirect case helloReply(HelloReply)
        /// How long the asker will wait, in milliseconds; 0 is without limit.
        case request(body: [UInt8], deadline: UInt32)
        case answer(body: [UInt8])
        indirect case failure(DocumentError)
        case progress(TransferProgress)
        /// A progress without figures.
        case heartbeat
        case cancel
        case notification(body: [UInt8])
        case shutdown
        case goodbye
        case ping(UInt64)
        case pong(UInt64)
        /// Of a newer version of the contract.
        case unknown
    }

    /// The initiator's first frame.
    package struct Hello: Hashable, Sendable {
        package var versions: [UInt32] = []
        package var features: [String] = []
        package var limits = Limits()
        package var software = ""
        package var processID: Int64 = 0
        package var session = ""
        package var locale = ""
        package var context: [UInt8] = []

        package init() {}
    }

    /// The responder's first frame.
    package struct HelloReply: Hashable, Sendable {
        /// 0 when no version is shared.
        package var version: UInt32 = 0
        package var features: [String] = []
        package var limits = Limits()
        package var software = ""
        package var versions: [UInt32] = []
        package var context: [UInt8] = []

        package init() {}
    }

    /// As sent; 0 means the default.
    package struct Limits: Hashable, Sendable {
        package var frameBytes: UInt32
        package var requests: UInt32

        package init(frameBytes: UInt32 = 0, requests: UInt32 = 0) {
            self.frameBytes = frameBytes
            self.requests = requests
        }
    }

    /// The bytes of a frame's body are no `docent.wire.v1.Frame`.
    package struct DecodingError: Error, Hashable, Sendable {
        package init() {}
    }
}
