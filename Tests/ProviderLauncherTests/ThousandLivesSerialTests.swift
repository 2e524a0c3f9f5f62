import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("A thousand lives", .serialized, .timeLimit(.minutes(10)))
struct ThousandLivesSerialTests {
    struct Figures: Hashable, CustomStringConvertible {
        var processes: Int
        var descriptors: Int
        var threads: Int
        /// In kibibytes.
        var memory: Int

        static func now() -> Figures {
            Figures(
                processes: children(), descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"),
                memory: resident())
        }

        private static func children() -> Int {
            threadIDs().reduce(0) { $0 + ProcessChildren.of(getpid(), thread: $1).count }
        }

        private static func threadIDs() -> [Int32] { names("/proc/self/task").compactMap { Int32($0) } }
        private static func entries(_ path: String) -> Int { names(path).count }

        private static func names(_ path: String) -> [String] {
            guard let listing = opendir(path) else { return [] }
            defer { closedir(listing) }
            var names: [String] = []
            while let entry = readdir(listing) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if !name.hasPrefix(".") { names.append(name) }
            }
            return names
        }

        private static func resident() -> Int {
            guard let file = fopen("/proc/self/statm", "re") else { return 0 }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 128)
            guard fgets(&line, 128, file) != nil else { return 0 }
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return (Int(text.split(separator: " ")[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
        }

        var description: String {
            "processes \(processes), descriptors \(descriptors), threads \(threads), memory \(memory) KiB"
        }
    }

    @Test("Started, stopped, crashed and left with children, 1,000 times: nothing grows")
    func thousand() async throws {
        await #expect(processExitsWith: .success) {
            var context = try LaunchFixture().context
            let fixture = try LaunchFixture()
            context.family = ProcessFamily(blocking: context.blocking, logger: context.logger)
            // In turn: it ends in order when told to; it crashes over a request; it dies and leaves a child of its own
            // session; it sends rubbish.
            var provider = ScriptedProvider()
            provider.script = """
                greet
                case $(($(count) % 4)) in
                0) next ;;
                1) next; kill -SEGV $$ ;;
                2) setsid sleep 1000 & next; exit 3 ;;
                3) next; printf '\\000rubbish'; sleep 1000 ;;
                esac
                """
            let bundle = try provider.install(in: fixture.folder)
            let state = try fixture.folder.folder("state")
            var configuration = ProviderSupervisor.Configuration(
                bundle: bundle,
                settings: SessionSettings(
                    providerID: bundle.manifest.identifier, domain: try DomainName("work"), settings: [:],
                    stateFolder: state.string, storageRoot: "/nowhere", stagingFolder: "/nowhere"))
            configuration.policy.firstDelay = .zero
            configuration.policy.deathsToGiveUp = 1_000_000
            configuration.postMortems = PostMortemStore(folder: fixture.folder.path.appending("failures"))
            let supervisor = ProviderSupervisor(configuration, in: context, handler: NoRequests())
            let session = ProviderSession(supervisor)
            let isGood = await withTaskGroup(of: Void.self) { group in
                group.addTask { await supervisor.run() }
                func lives(_ count: Int) async {
                    let end = fixture.folder.starts.count + count
                    while fixture.folder.starts.count < end {
                        if (fixture.folder.starts.count + 1) % 4 == 0 {
                            _ = try? await supervisor.withProvider { $0.processID }
                            supervisor.reset()
                        } else {
                            _ = try? await session.startProviding(.root, stagingPath: "/nowhere")
                        }
                    }
                    supervisor.reset()
                    _ = await holdsSoon {
                        if case .stopped = supervisor.status.state { true } else { false }
                    }
                }
                await lives(100)
                let before = Figures.now()
                let begin = ContinuousClock.now
                await lives(1000)
                _ = await holdsSoon { Figures.now().processes == 0 }
                let after = Figures.now()
                print("1,000 lives in \(ContinuousClock.now - begin): before: \(before); after: \(after)")
                supervisor.end()
                await group.waitForAll()
                let left = fixture.folder.starts.filter(isAlive)
                print("providers left: \(left)")
                return left.isEmpty && after.processes == 0 && after.descriptors <= before.descriptors
                    && after.threads <= before.threads && after.memory <= before.memory + 4096
            }
            exit(isGood ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("Rule 52: 1 GiB on standard error costs the host nothing that grows, and the provider answers afterwards")
    func flood() async throws {
        await #expect(processExitsWith: .success) {
            let fixture = try LaunchFixture()
            let before = Figures.now()
            let begin = ContinuousClock.now
            let (_, exit) = try await ProviderProcess.run(
                fixture.launch(
                    "yes a line of a flood that nobody reads | head -c 1073741824 >&2; echo >&2; echo last >&2"),
                in: fixture.context
            ) { process in _ = await process.waitUntilExited() }
            let took = ContinuousClock.now - begin
            let after = Figures.now()
            var used = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &used)
            let time =
                Double(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
                + Double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1_000_000
            print(
                "1 GiB of standard error in \(took), processor time \(time) s: before: \(before); after: \(after)"
            )
            let isGood =
                exit.status == .exited(0) && exit.lastWords.last == "last"
                && after.memory < before.memory + 8192
            Glibc.exit(isGood ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
