/// Something that takes bytes from outside, and what must hold whatever they are.
package protocol FuzzTarget: Sendable {
    /// What it is called on the command line, and its folder below `Fuzzing/Corpus`.
    static var name: String { get }

    /// Takes one input. A crash is a finding as well.
    static func run(_ input: [UInt8]) throws(FuzzFinding)
}

/// All of them.
package enum FuzzTargets {
    package static let all: [any FuzzTarget.Type] = [
        FrameDecoderTarget.self, FrameTarget.self, FrameRedactionTarget.self,
        InitiatorTarget.self, ResponderTarget.self, ProviderProgramTarget.self,
        SessionSettingsTarget.self, SessionCapabilitiesTarget.self,
        ProviderCallTarget.self, ProviderReplyTarget.self, ProviderEventTarget.self,
        HostCallTarget.self, HostReplyTarget.self,
        ServiceCallTarget.self, ServiceReplyTarget.self, ToolIdentityTarget.self,
        ToolCallTarget.self, ToolEventTarget.self, DaemonToolTarget.self, ClientToolTarget.self,
        DomainProviderTarget.self,
        ManifestTarget.self, TrafficRecordTarget.self, ConformanceFileTarget.self,
    ]

    package static func named(_ name: String) -> (any FuzzTarget.Type)? {
        all.first { $0.name == name }
    }
}
