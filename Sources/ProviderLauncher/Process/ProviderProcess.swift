package import DocumentModel
package import DocumentTransport
internal import DocumentWire
internal import Glibc
internal import Logging
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A running provider, alive for the duration of a closure.
///
/// It runs in a session and process group of its own, below a shepherd (the trampoline) that ends when it ends, and as
/// it ended. That is noticed by the shepherd's process descriptor, whoever else holds the pipes. When the closure
/// returns, all that the provider ever started is gone.
package final class ProviderProcess: Sendable {
    /// Our child, which watches over the provider.
    let shepherdID: Int32
    private let handle: FileDescriptor
    /// Its standard output and input, until ``takeEnd()``.
    let reading: FileDescriptor
    let writing: FileDescriptor
    private let loop: EventLoop
    /// Anew for each line: what is secret may have been learned since it started.
    private let redaction: @Sendable () -> FrameRedaction
    private let state = Mutex(State())

    private struct State {
        var endIsTaken = false
        var processID: Int32?
        var wasForced = false
        var usage: ResourceUsage?
        var isOver = false
        var errors = StandardErrorLines()
    }

    private init(
        shepherdID: Int32, handle: FileDescriptor, pipes: ProviderPipes, loop: EventLoop,
        redaction: @escaping @Sendable () -> FrameRedaction
    ) {
        self.shepherdID = shepherdID
        self.handle = handle
        reading = pipes.reading
        writing = pipes.writing
        self.loop = loop
        self.redaction = redaction
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
        context.family?.willLaunch()
        do {
            // Elsewhere than on the loop: the library looks once a second whether it is cancelled, for as long as the process
            // lives, and the loop does not sleep soundly then.
            let outcome = try await withTaskExecutorPreference(globalConcurrentExecutor) {
                try await Subprocess.run(
                    configuration(for: launch, in: context),
                    input: .fileDescriptor(pipes.childInput, closeAfterSpawningProcess: true),
                    output: .fileDescriptor(pipes.childOutput, closeAfterSpawningProcess: true),
                    error: .fileDescriptor(pipes.childErrors, closeAfterSpawningProcess: true)
                ) { execution in
                    await withTaskExecutorPreference(context.loop) {
                        hasStarted.withLock { $0 = true }
                        await context.family?.launched(execution.processIdentifier.value)
                        let process = ProviderProcess(
                            shepherdID: execution.processIdentifier.value,
                            handle: FileDescriptor(rawValue: execution.processIdentifier.processDescriptor),
                            pipes: pipes, loop: context.loop, redaction: launch.redaction)
                        let result = await process.live(errors: pipes.errors, launch: launch, body)
                        return (result: result, process: process)
                    }
                }
            }
            let (result, process) = outcome.closureResult
            await context.family?.ended(process.shepherdID)
            let status: ProcessExit.Status =
                switch outcome.terminationStatus {
                case .exited(let code): .exited(code)
                case .signaled(let number): .signalled(number)
                }
            return (result, process.exit(status))
        } catch {
            if !hasStarted.withLock({ $0 }) {
                pipes.closeOurs()
                await context.family?.launchFailed()
            }
            throw DocumentError(
                .providerUnavailable, "“\(context.trampoline)” cannot start “\(launch.program)”: \(error)")
        }
    }

    private static func configuration(for launch: ProviderLaunch, in context: LaunchContext) -> Configuration {
        var options = PlatformOptions()
        options.createSession = true
        // Only reached when our own task is cancelled: the shepherd first kills what it watches over.
        options.teardownSequence = [.send(signal: .userDefinedOne, allowedDurationToNextStep: shepherdsTime)]
        return Configuration(
            executable: .path(context.trampoline),
            arguments: Arguments(
                [String(getpid())] + (launch.sandbox?.arguments ?? []) + [launch.program.string] + launch.arguments),
            // Bytes, which have to end as C wants them: a dictionary of its keys would be a detour.
            environment: .custom(launch.environment.sorted { $0.key < $1.key }.map { Array("\($0)=\($1)\0".utf8) }),
            workingDirectory: launch.workingFolder,
            platformOptions: options
        )
    }

    /// The provider's own process id; the shepherd's until it has made it.
    package var processID: Int32 {
        state.withLock { state in
            if let known = state.processID { return known }
            // What the provider leaves to its shepherd comes behind it.
            state.processID = ProcessChildren.of(shepherdID, thread: shepherdID).first
            return state.processID ?? shepherdID
        }
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
    package var lastWords: [String] {
        let redaction = redaction()
        return state.withLock { $0.errors.tail }.map { redaction.redact($0) }
    }

    /// Waits for the process to end, and makes it end when it does not. Whoever calls it closes the process's input, at
    /// once or within the ladder's first step. A cancelled task climbs the ladder in one step.
    package func end(_ ladder: ShutdownLadder) async {
        let begin = ContinuousClock.now
        if await exits(before: begin + ladder.terminateAfter) { return }
        state.withLock { $0.wasForced = true }
        tellShepherd(SIGTERM)
        if await exits(before: begin + ladder.killAfter) { return }
        await killAll()
    }

    /// How long the shepherd may take to kill all that it watches over.
    private static let shepherdsTime = Duration.seconds(2)

    private func killAll() async {
        tellShepherd(Self.killAllSignal)
        if await exits(before: .now + Self.shepherdsTime, evenIfCancelled: true) { return }
        // Somebody keeps it from working. The provider goes with it, and the rest comes to us.
        kill(shepherdID, SIGKILL)
        await waitUntilExitedUncancelled()
    }

    /// As the trampoline has it.
    private static let killAllSignal = SIGUSR1

    private func exits(before deadline: ContinuousClock.Instant, evenIfCancelled: Bool = false) async -> Bool {
        if hasExited { return true }
        if Task.isCancelled {
            // Nothing waits any more; the kernel needs a moment all the same.
            while evenIfCancelled, !hasExited, ContinuousClock.now < deadline { await loop.pause(.milliseconds(1)) }
            return hasExited
        }
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
        while !(await waitUntilExited()), !hasExited { await loop.pause(.milliseconds(1)) }
    }

    /// Once it has ended it stays unreaped until the closure has returned, so that its number is not a stranger's.
    private func tellShepherd(_ number: Int32) {
        kill(shepherdID, number)
        // The provider may have stopped it.
        kill(shepherdID, SIGCONT)
    }

    private func live<Result: Sendable>(
        errors: FileDescriptor, launch: ProviderLaunch, _ body: @Sendable (ProviderProcess) async -> Result
    ) async -> Result {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.drain(errors, launch) }
            let result = await body(self)
            await end(ShutdownLadder(terminateAfter: .zero, killAfter: .seconds(1)))
            let usage = ResourceUsage(ofEnded: handle)
            state.withLock { state in
                state.isOver = true
                state.usage = usage
            }
            if !state.withLock({ $0.endIsTaken }) {
                try? reading.close()
                try? writing.close()
            }
            // A stranger may still hold the pipe.
            group.cancelAll()
            await group.waitForAll()
            try? errors.close()
            return result
        }
    }

    private func exit(_ status: ProcessExit.Status) -> ProcessExit {
        let lastWords = lastWords
        return state.withLock {
            ProcessExit(status: status, wasForced: $0.wasForced, lastWords: lastWords, usage: $0.usage)
        }
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
        if events.isEmpty { return }
        let redaction = redaction()
        for event in events {
            switch event {
            case .line(let line):
                launch.logger.info("\(redaction.redact(line))", metadata: ["provider.pid": "\(processID)"])
            case .leftOut(let count):
                launch.logger.warning(
                    "\(count) lines were left out: too many", metadata: ["provider.pid": "\(processID)"])
            }
        }
    }
}
