package import DocumentModel
import SwiftProtobuf

extension ToolCall {
    /// - Throws: `protocolViolation` for bytes that are none, `unimplemented` for a call or a message that is not known.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        switch try WireServiceToolRequest.decoded(from: bytes, as: "The daemon's request").call {
        case .tellPresenter(let call):
            self = .tellPresenter(call.presenter, message: call.message, try PresenterMessage(call))
        case .ask(let call):
            self = .ask(
                try DomainName(call.domain), provider: Checks.displayable(call.provider, limit: 512),
                try Prompt(call.prompt))
        case nil: throw Self.unknown
        }
    }

    package func serialized() -> [UInt8] {
        var request = WireServiceToolRequest()
        switch self {
        case .tellPresenter(let presenter, let message, let what):
            var call = WireServiceTellPresenter(what)
            call.presenter = presenter
            call.message = message
            request.call = .tellPresenter(call)
        case .ask(let domain, let provider, let prompt):
            request.call = .ask(
                .with {
                    $0.domain = domain.rawValue
                    $0.provider = provider
                    $0.prompt = WireModelPrompt(prompt)
                })
        }
        return request.encoded()
    }

    /// The answer: there is nothing to tell but that it is done.
    package static func answer() -> [UInt8] {
        WireServiceToolAnswer.with { $0.done = WireServiceDone() }.encoded()
    }

    /// The answer to ``ask(_:provider:_:)``.
    package static func answer(to prompt: [String: String]) -> [UInt8] {
        WireServiceToolAnswer.with { $0.prompt = WireModelPromptAnswer(prompt) }.encoded()
    }

    /// What was typed.
    ///
    /// - Throws: `protocolViolation` for bytes that are none, `invalidArgument` for too much.
    package static func promptAnswer(serialized bytes: [UInt8]) throws(DocumentError) -> [String: String] {
        try WireServiceToolAnswer.decoded(from: bytes, as: "A tool's answer").prompt.checked()
    }

    fileprivate static var unknown: DocumentError {
        DocumentError(
            .unimplemented, "The daemon asked something that this tool does not know: it is newer than this tool.")
    }
}

extension ToolEvent {
    /// - Throws: `protocolViolation` for bytes that are none, `unimplemented` for an event that is not known.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        switch try WireServiceToolNotification.decoded(from: bytes, as: "The daemon's notification").event {
        case .deadlock(let text): self = .deadlock(text)
        case .droppedPresenter(let dropped): self = .droppedPresenter(dropped.presenter, reason: dropped.reason)
        case nil: throw ToolCall.unknown
        }
    }

    package func serialized() -> [UInt8] {
        var notification = WireServiceToolNotification()
        switch self {
        case .deadlock(let text): notification.event = .deadlock(text)
        case .droppedPresenter(let presenter, let reason):
            notification.event = .droppedPresenter(
                .with {
                    $0.presenter = presenter
                    $0.reason = reason
                }
            )
        }
        return notification.encoded()
    }
}

extension PresenterMessage {
    fileprivate init(_ wire: WireServiceTellPresenter) throws(DocumentError) {
        self =
            switch wire.kind {
            case .relinquishToReader: .relinquishToReader
            case .relinquishToWriter: .relinquishToWriter
            case .reacquire: .reacquire
            case .saveChanges: .saveChanges
            case .accommodateDeletion: .accommodateDeletion
            case .accommodateSubitemDeletion: .accommodateSubitemDeletion(try Location(wire.location))
            case .accommodateEviction: .accommodateEviction
            case .didChange: .didChange
            case .didMove: .didMove(to: try Location(wire.destination))
            case .didMoveOut: .didMoveOut(to: try Checks.absolutePath(wire.localPath, "Where it has moved to"))
            case .didChangeAttributes: .didChangeAttributes(wire.attributes)
            case .didGainVersion: .version(.gained, wire.version)
            case .didLoseVersion: .version(.lost, wire.version)
            case .didResolveVersion: .version(.resolved, wire.version)
            case .subitemDidAppear: .subitemDidAppear(try Location(wire.location))
            case .subitemDidChange: .subitemDidChange(try Location(wire.location))
            case .subitemDidMove: .subitemDidMove(try Location(wire.location), to: try Location(wire.destination))
            case .subitemDidGainVersion: .subitemVersion(try Location(wire.location), .gained, wire.version)
            case .subitemDidLoseVersion: .subitemVersion(try Location(wire.location), .lost, wire.version)
            case .subitemDidResolveVersion: .subitemVersion(try Location(wire.location), .resolved, wire.version)
            case .unspecified, .UNRECOGNIZED: throw ToolCall.unknown
            }
    }
}

extension WireServiceTellPresenter {
    fileprivate init(_ message: PresenterMessage) {
        self.init()
        switch message {
        case .relinquishToReader: kind = .relinquishToReader
        case .relinquishToWriter: kind = .relinquishToWriter
        case .reacquire: kind = .reacquire
        case .saveChanges: kind = .saveChanges
        case .accommodateDeletion: kind = .accommodateDeletion
        case .accommodateSubitemDeletion(let place):
            kind = .accommodateSubitemDeletion
            location = place.description
        case .accommodateEviction: kind = .accommodateEviction
        case .didChange: kind = .didChange
        case .didMove(let place):
            kind = .didMove
            destination = place.description
        case .didMoveOut(let path):
            kind = .didMoveOut
            localPath = path
        case .didChangeAttributes(let names):
            kind = .didChangeAttributes
            attributes = names
        case .version(let event, let version):
            kind =
                switch event {
                case .gained: .didGainVersion
                case .lost: .didLoseVersion
                case .resolved: .didResolveVersion
                }
            self.version = version
        case .subitemDidAppear(let place):
            kind = .subitemDidAppear
            location = place.description
        case .subitemDidChange(let place):
            kind = .subitemDidChange
            location = place.description
        case .subitemDidMove(let place, let other):
            kind = .subitemDidMove
            location = place.description
            destination = other.description
        case .subitemVersion(let place, let event, let version):
            kind =
                switch event {
                case .gained: .subitemDidGainVersion
                case .lost: .subitemDidLoseVersion
                case .resolved: .subitemDidResolveVersion
                }
            location = place.description
            self.version = version
        }
    }
}
