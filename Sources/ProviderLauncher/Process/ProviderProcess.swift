package import DocumentModel
package import DocumentTransport
internal import Glibc
internal import Logging
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A running provider, alive for the duration of a closure.
///
/// It runs in a session and process group of its own, below the trampoline's parent-death signal. Its end is noticed by
/// its process descriptor, whoever else holds its pipes. When the closure returns, the whole group is gone.
package final class ProviderProcess: Sendable {
    package let processID: Int32
    private let handle: FileDescriptor
    /// Its standard output and input, until ``takeEnd()``.
    let reading: FileDescriptor
    let writing: FileDescriptor
    private let loop: EventLoop
    private let state = Mutex(State())

    private struct State {
        var endIsTaken = false
        var wasForced = false
        var isOver = false
        var errors = StandardErrorLines()
    }

    private init(processID: Int32, handle: FileDescriptor, pipes: ProviderPipes, loop: EventLoop) {
        self.processID = processID
        self.handle = handle
        reading = pipes.reading
        writing = pipes.writing
        self.loop = loop
    }

    /// Launches a provider, runs the closure, sees to it that the process has ended, and reaps it.
    ///
    /// - Throws: ``DocumentError`` with the code `providerUnavailable` when nothing could be started.
    package static func run<Result: Sendable>(
        _ launch: ProviderLaunch, in context: LaunchContext, _ body: @Sendable (ProviderProcess) async -> Result
    ) async throws(DocumentError) -> (result: Result, exit: ProcessExit) {
        let pipes = try ProviderPipes()
        // Once it runs the process owns them.
        let hasStarted = Mutex(false)
        do {
            let outcome = try await Subprocess.run(
                configuration(for: launch, in: context),
                input: .fileDescriptor(pipes.childInput, closeAfterSpawningProcess: true),
                output: .fileDescriptor(pipes.childOutput, closeAfterSpawningProcess: true),
                error: .fileDescriptor(pipes.childErrors, closeAfterSpawningProcess: true)
            ) { execution in
                hasStarted.withLock { $0 = true }
                let process = ProviderProcess(
                    processID: execution.processIdentifier.value,
                    handle: FileDescriptor(rawValue: execution.processIdentifier.processDescriptor),
                    pipes: pipes, loop: context.loop)
                let result = await process.live(errors: pipes.errors, launch: launch, body)
                return (result: result, process: process)
            }
            let (result, process) = outcome.closureResult
            let status: ProcessExit.Status =
                switch outcome.terminationStatus {
                case .exited(let code): .exited(code)
                case .signaled(let number): .signalled(number)
                }
            return (result, process.exit(status))
        } catch {
            if !hasStarted.withLock({ $0 }) { pipes.closeOurs() }
            throw DocumentError(
                .providerUnavailable, "“\(context.trampoline)” cannot start “\(launch.program)”: \(error)")
        }
    }

    private static func configuration(for launch: ProviderLaunch, in context: LaunchContext) -> Configuration {
        var options = PlatformOptions()
        options.createSession = true
        // Only reached when our own task is cancelled, and then `live` kills the group as well.
        options.teardownSequence = []
        return Configuration(
            executable: .path(context.trampoline),
            arguments: Arguments([String(getpid()), launch.program.string] + launch.arguments),
            // Bytes, which have to end as C wants them: a dictionary of its keys would be a detour.
            environment: .custom(launch.environment.sorted { $0.key < $1.key }.map { Array("\($0)=\($1)\0".utf8) }),
            workingDirectory: launch.workingFolder,
            platformOptions: options
        )
    }

    /// The pipes' end for a connection, which owns them from now on. Once only.
    package func takeEnd() -> PipeEnd {
        state.withLock { $0.endIsTaken = true }
        return PipeEnd(reading: reading, writing: writing, loop: loop)
    }

    /// Waits until the process has ended.
    ///
    /// - Returns: false when the task was cancelled first.
    package func waitUntilExited() async -> Bool {
        await loop.waitUntilReadable(handle)
    }

    /// The last lines that it wrote to standard error so far.
    package var lastWords: [String] { state.withLock { $0.errors.tail } }

    /// Waits for the process to end, and makes it end when it does not. Whoever calls it closes the process's input, at
    /// once or within the ladder's first step. A cancelled task climbs the ladder in one step.
    package func end(_ ladder: ShutdownLadder) async {
        let begin = ContinuousClock.now
        if await exits(before: begin + ladder.terminateAfter) { return }
        state.withLock { $0.wasForced = true }
        signalGroup(SIGTERM)
        if await exits(before: begin + ladder.killAfter) { return }
        signalGroup(SIGKILL)
        await waitUntilExitedUncancelled()
    }

    private func exits(before deadline: ContinuousClock.Instant) async -> Bool {
        if hasExited { return true }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await self.waitUntilExited() }
            group.addTask { try? await Task.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
            await group.waitForAll()
            return hasExited
        }
    }

    private var hasExited: Bool {
        var entry = pollfd(fd: handle.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// After SIGKILL, when nothing can keep it for long.
    private func waitUntilExitedUncancelled() async {
        while !(await waitUntilExited()) {
            // The task is cancelled, so that nothing waits any more; the kernel needs a moment all the same.
            var entry = pollfd(fd: handle.rawValue, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 1) > 0 { return }
        }
    }

    /// To the whole group; a no-op once the leader was reaped, which does not happen before the closure returns.
    private func signalGroup(_ number: Int32) {
        kill(-processID, number)
    }

    private func live<Result: Sendable>(
        errors: FileDescriptor, launch: ProviderLaunch, _ body: @Sendable (ProviderProcess) async -> Result
    ) async -> Result {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.drain(errors, launch) }
            let result = await body(self)
            await end(ShutdownLadder(terminateAfter: .zero, killAfter: .seconds(1)))
            // What it leaves behind in its group. Its number is still taken, because nobody has reaped it yet.
            signalGroup(SIGKILL)
            state.withLock { $0.isOver = true }
            if !state.withLock({ $0.endIsTaken }) {
                try? reading.close()
                try? writing.close()
            }
            // Somebody outside of the group may still hold the pipe.
            group.cancelAll()
            await group.waitForAll()
            try? errors.close()
            return result
        }
    }

    private func exit(_ status: ProcessExit.Status) -> ProcessExit {
        state.withLock { ProcessExit(status: status, wasForced: $0.wasForced, lastWords: $0.errors.tail) }
    }

    /// Reads standard error to its end, whatever comes: a full pipe would block the provider.
    private func drain(_ errors: FileDescriptor, _ launch: ProviderLaunch) async {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)
        defer { buffer.deallocate() }
        // What a stranger keeps writing into the pipe after the end is not waited for.
        var readsAfterExit = 16
        while true {
            let count: Int
            do {
                count = try errors.read(into: buffer, retryOnInterrupt: true)
            } catch Errno.wouldBlock {
                guard await loop.waitUntilReadable(errors) else {
                    guard readsAfterExit > 0, state.withLock({ $0.isOver }) else { break }
                    readsAfterExit = 0
                    continue
                }
                continue
            } catch {
                break
            }
            guard count > 0 else { break }
            log(
                state.withLock { $0.errors.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), now: .now) }, launch
            )
            if Task.isCancelled {
                readsAfterExit -= 1
                if readsAfterExit <= 0 { break }
            }
            await Task.yield()
        }
        log(state.withLock { $0.errors.finish(now: .now) }, launch)
    }

    private func log(_ events: [StandardErrorLines.Event], _ launch: ProviderLaunch) {
        for event in events {
            switch event {
            case .line(let line):
                launch.logger.info("\(line)", metadata: ["provider.pid": "\(processID)"])
            case .leftOut(let count):
                launch.logger.warning(
                    "\(count) lines were left out: too many", metadata: ["provider.pid": "\(processID)"])
            }
        }
    }
}
