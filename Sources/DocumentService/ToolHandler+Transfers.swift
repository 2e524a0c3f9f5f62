import DocumentHost
import DocumentModel
import DocumentWire

extension ToolHandler {
    func reply(to call: TransferCall) async throws(DocumentError) -> ServiceReply {
        switch call {
        case .startDownload(let location): try await host.startDownload(location)
        case .pause(let location, let isPaused): try await host.setPaused(isPaused, at: location)
        case .resume(let location, let behavior): try await host.resume(location, behavior)
        case .keep(let location, let keeping): try await host.setKeeping(keeping, at: location)
        case .space: return .transfers(.space(try await host.spaceStatus()))
        case .setSpace(let limits):
            try await host.setSpaceLimits(limits)
            return .transfers(.space(try await host.spaceStatus()))
        case .watch(let location): return .transfers(.watch(try await host.watch(location, for: tool)))
        case .nextEvents(let number): return .transfers(.events(try await host.nextEvents(number, for: tool)))
        case .endWatch(let number): host.endWatch(number, for: tool)
        }
        return .done
    }
}
