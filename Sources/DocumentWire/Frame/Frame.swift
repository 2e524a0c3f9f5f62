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
        case request(
            body: [UInt8], deadline: UInt32, label: RequestLabel? = nil, priority: RequestPriority = .ordinary)
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
        /// Why the responder cannot do what it is there for, or refuses.
        package var failure: DocumentError?

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

extension Frame.Kind {
    /// A kind without what it carries, for records and logs.
    package enum Name: String, Hashable, Sendable {
        case hello, helloReply, request, answer, failure, progress, heartbeat, cancel, notification, shutdown, goodbye
        case ping, pong, unknown
    }

    package var name: Name {
        switch self {
        case .hello: .hello
        case .helloReply: .helloReply
        case .request: .request
        case .answer: .answer
        case .failure: .failure
        case .progress: .progress
        case .heartbeat: .heartbeat
        case .cancel: .cancel
        case .notification: .notification
        case .shutdown: .shutdown
        case .goodbye: .goodbye
        case .ping: .ping
        case .pong: .pong
        case .unknown: .unknown
        }
    }
}
