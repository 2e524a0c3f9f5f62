package import DocumentHost
package import DocumentModel
import DocumentTransport
package import Logging
import ServiceLifecycle
package import SystemPackage
import UnixSignals

/// The daemon: a host behind a socket, from its start to its orderly end.
package struct Daemon: Sendable {
    private let host: DocumentHost
    private let loop: EventLoop
    private let listener: SocketListener
    private let control: DaemonControl
    private let idleTime: Duration?
    private let logger: Logger

    /// Opens the storage root, mends what a crash left, and binds the socket.
    package init(
        _ configuration: DocumentHost.Configuration, socket: FilePath, version: String, idleTime: Duration?,
        observer: (any DocumentHost.Observer)? = nil, logger: Logger
    ) throws(DocumentError) {
        ignoreBrokenPipeSignal()
        loop = EventLoop(name: "docentd")
        do throws(DocumentError) {
            host = try DocumentHost(configuration, loop: loop, observer: observer, logger: logger)
            // After the root's lock: whoever holds it owns the socket.
            listener = try SocketListener(path: socket)
        } catch {
            loop.shutdown()
            throw error
        }
        control = DaemonControl(version: version)
        self.idleTime = idleTime
        self.logger = logger
        for finding in host.findings { logger.notice("\(finding)") }
    }

    /// Serves until it is told to stop, by a signal or a host tool, or has been idle for long enough.
    package func run() async throws {
        typealias Part = ServiceGroupConfiguration.ServiceConfiguration
        var parts = [
            Part(service: HostPart(host: host, loop: loop), serviceName: "host"),
            Part(
                service: ListenerPart(host: host, loop: loop, listener: listener, control: control, logger: logger),
                serviceName: "listener"),
            Part(
                service: StopPart(control: control), successTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: "stop"),
        ]
        if let idleTime {
            parts.append(
                Part(
                    service: IdlePart(host: host, control: control, limit: idleTime),
                    successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "idle"))
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: parts, gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: quiet))
        try await group.run()
        logger.info("ended")
    }
}

/// The engine; the last part to end.
private struct HostPart: Service {
    let host: DocumentHost
    let loop: EventLoop

    func run() async {
        await withTaskExecutorPreference(loop) {
            await cancelWhenGracefulShutdown { await host.run() }
        }
    }
}

/// Takes connections.
private struct ListenerPart: Service {
    let host: DocumentHost
    let loop: EventLoop
    let listener: SocketListener
    let control: DaemonControl
    let logger: Logger
    let programs = PeerPrograms()

    func run() async {
        await withTaskExecutorPreference(loop) {
            await withGracefulShutdownHandler {
                await withDiscardingTaskGroup { group in
                    while let peer = await listener.accept() {
                        group.addTask {
                            await cancelWhenGracefulShutdown {
                                // Not where connections are taken: others would wait for it.
                                let program = await programs.program(of: peer.process)
                                await ToolConnection(
                                    host: host, loop: loop, control: control, logger: logger
                                ).serve(
                                    PipeEnd(socket: peer.socket, loop: loop), processID: peer.process.id,
                                    program: program)
                            }
                        }
                    }
                }
            } onGracefulShutdown: {
                listener.close()
            }
        }
    }
}

/// Ends when a host tool asked for it.
private struct StopPart: Service {
    let control: DaemonControl

    func run() async {
        await cancelWhenGracefulShutdown { await control.stopRequested() }
        // The tool that asked is still to get its answer.
        try? await Task.sleep(for: .milliseconds(50))
    }
}

/// Ends when nobody has used the host for long enough.
private struct IdlePart: Service {
    let host: DocumentHost
    let control: DaemonControl
    let limit: Duration

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled, control.idleTime < limit || host.isBusy {
                try? await Task.sleep(for: max(.milliseconds(100), (limit - control.idleTime) / 2))
            }
        }
    }
}
