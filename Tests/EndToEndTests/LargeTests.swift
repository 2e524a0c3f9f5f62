import Foundation
import Testing

/// Large documents and large folders, with the host's memory staying small.
@Suite(.serialized) struct LargeTests {
    private func residentMegabytes(_ pid: Int32?) throws -> Int {
        guard let pid, let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw Machine.Failure(description: "the daemon's memory cannot be read") }
        return kilobytes / 1024
    }

    @Test("A document of 2 GiB is provided, edited and sent with the host under 100 MB")
    func largeDocument() throws {
        try Machine.with { machine in
            let remote = machine.remote + "/large.bin"
            let made = try machine.run(
                "/bin/dd", ["if=/dev/urandom", "of=\(remote)", "bs=4M", "count=512", "iflag=fullblock", "status=none"])
            #expect(made.status == 0)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let path = try machine.succeed("open", "d:/large.bin", timeout: 300).trimmingCharacters(in: .newlines)
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: remote))
            try machine.succeed(
                "edit", "d:/large.bin", "--with", "sh", "-c",
                "printf edited | dd of=\"$0\" bs=1M seek=1024 conv=notrunc status=none", timeout: 300)
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: remote))
            let size = try FileManager.default.attributesOfItem(atPath: remote)[.size] as? Int
            #expect(size == 2 << 30)
            let memory = try residentMegabytes(machine.daemon)
            #expect(memory < 100, "the host took \(memory) MB")
            print("2 GiB document: host at most \(memory) MB")
        }
    }

    @Test("A folder of 100,000 items is listed in pages with the host under 150 MB")
    func largeFolder() throws {
        try Machine.with { machine in
            for number in 0..<100_000 {
                let file = open(machine.remote + "/document \(number).txt", O_CREAT | O_WRONLY, 0o600)
                guard file >= 0 else { throw Machine.Failure(description: "errno \(errno)") }
                close(file)
            }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)",
                timeout: 300)
            let listing = try machine.succeed("ls", "d:/", timeout: 300)
            #expect(listing.split(separator: "\n").filter { $0.contains("document ") }.count == 100_000)
            try machine.write("late\n", to: machine.remote + "/late.txt")
            #expect(try machine.succeed("cat", "d:/late.txt") == "late\n")
            let memory = try residentMegabytes(machine.daemon)
            #expect(memory < 150, "the host took \(memory) MB")
            print("100,000 items: host at most \(memory) MB")
        }
    }
}
