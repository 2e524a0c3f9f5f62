import DocumentModel
import Glibc
import SystemPackage
import Testing

@testable import ProviderLauncher

/// In a process of its own: what it does to the descriptors is not undone.
@Suite("A host that has hardly any descriptors left", .timeLimit(.minutes(2)))
struct DescriptorLimitSerialTests {
    @Test("Rule 49: a provider is started, or refused in words, and nothing leaks; when there are more, it starts")
    func limit() async throws {
        await #expect(processExitsWith: .success) {
            let fixture = try LaunchFixture()
            // What is made once is made now.
            _ = try await ProviderProcess.run(fixture.launch("exit 0"), in: fixture.context) { process in
                await process.waitUntilExited()
            }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 128
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let before = openPipes()
            var (served, refused) = (0, 0)
            for free in 0..<24 {
                var held: [Int32] = []
                while true {
                    let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
                    guard file >= 0 else { break }
                    held.append(file)
                }
                for file in held.suffix(free) { close(file) }
                do throws(DocumentError) {
                    _ = try await ProviderProcess.run(fixture.launch("exit 0"), in: fixture.context) { process in
                        await process.waitUntilExited()
                    }
                    served += 1
                } catch {
                    guard error.code == .providerUnavailable, error.message.contains(" ") else {
                        print("with \(free) free: \(error)")
                        exit(1)
                    }
                    refused += 1
                }
                for file in held.dropLast(free) { close(file) }
            }
            guard refused >= 3, served >= 3 else {
                print("refused \(refused), served \(served)")
                exit(2)
            }
            guard await holdsSoon({ openPipes() <= before }) else {
                print("pipes before \(before), after \(openPipes())")
                exit(3)
            }
            let (_, end) = try await ProviderProcess.run(fixture.launch("exit 0"), in: fixture.context) { process in
                await process.waitUntilExited()
            }
            guard end.status == .exited(0) else { exit(4) }
        }
    }
}
