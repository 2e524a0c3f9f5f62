import DocumentModel
import DocumentTransport
import DocumentWire

/// What is wrong with the answer to the hello.
extension FrameDamage {
    /// The answer to the hello, as it goes out.
    func bytes(of reply: Frame.HelloReply) -> [UInt8] {
        var reply = reply
        var id: UInt64 = 0
        switch mistake {
        case .choosesUnofferedVersion where reply.version == 0: reply.version = 1
        case .choosesAnotherVersion where reply.version != 0: reply.version += 1
        case .oddHelloRefused where isHelloOdd: reply = Frame.HelloReply()
        case .helloReplyWithAnID: id = 1
        case .helloReplyOfNobody:
            reply.software = ""
            reply.versions = []
        case .helloReplyOfNonsense:
            reply.limits = Frame.Limits(frameBytes: 1)
            reply.context = [0xFF]
        case .claimsMore: reply.context = capabilities(of: reply) { $0.insert(.signIn) }
        case .claimsNothing: reply.context = capabilities(of: reply) { $0 = [] }
        default: break
        }
        return Self.bytes(Frame(id: id, .helloReply(reply)))
    }

    private func capabilities(
        of reply: Frame.HelloReply, _ change: (inout Set<ProviderCapability>) -> Void
    ) -> [UInt8] {
        guard var claimed = try? SessionCapabilities(serialized: reply.context) else { return reply.context }
        change(&claimed.capabilities)
        return claimed.serialized()
    }
}
