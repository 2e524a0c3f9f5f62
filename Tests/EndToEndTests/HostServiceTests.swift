import Foundation
import Testing

/// The host as a user's service.
@Suite(.serialized) struct HostServiceTests {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../scripts/lib/host-unit.sh").standardizedFileURL.path

    @Test(
        "systemd finds nothing wrong with the service, whatever the folder is called that the program is installed in",
        arguments: ["bin", "a b", "100%h", "a\"b", "a'b", "a\\b", "a$b", "a\tb"])
    func unit(folder: String) throws {
        try Machine.with { machine in
            let program = machine.folder + "/" + folder + "/docentd"
            if folder != "bin" {
                let around = machine.folder + "/" + folder
                try FileManager.default.createDirectory(atPath: around, withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(
                    atPath: program, withDestinationPath: machine.folder + "/bin/docentd")
            }
            let unit = try machine.run("/bin/bash", [Self.script, program])
            #expect(unit.status == 0 && unit.errors.isEmpty, "\(unit)")
            let file = machine.folder + "/docentd.service"
            try machine.write(unit.output, to: file)
            let verified = try machine.run(Self.analyze, ["--user", "verify", file])
            #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified)\n\(unit.output)")
            for line in [
                "Type=notify", "Restart=on-failure", "RestartPreventExitStatus=64 78", "KillMode=mixed",
                "OOMPolicy=continue",
            ] {
                #expect(unit.output.contains("\n\(line)\n"), "\(line)")
            }
            #expect(unit.output.contains("\" --stay\n"))
        }
    }

    @Test("A mistake in the settings or the command ends the host with a status at which nobody tries again")
    func mistakes() throws {
        try Machine.with { machine in
            let program = machine.folder + "/bin/docentd"
            let setting = try machine.run(program, ["--stay"], environment: ["DOCENT_SECRETS": "nowhere"])
            #expect(setting.status == 78 && setting.output.isEmpty, "\(setting)")
            #expect(setting.errors.contains("DOCENT_SECRETS takes one of"), "\(setting)")
            let root = try machine.run(program, ["--stay"], environment: ["DOCENT_ROOT": "here"])
            #expect(root.status == 78 && root.errors.contains("DOCENT_ROOT is “here”"), "\(root)")
            for words in [["ls", "work:/"], ["host", "status"], ["host", "stop"], ["edit", "work:/a"]] {
                let tool = try machine.run(
                    machine.folder + "/bin/docent", words, environment: ["DOCENT_ROOT": "here", "EDITOR": "true"])
                #expect(tool.status == 78 && tool.errors.contains("DOCENT_ROOT is “here”"), "\(words): \(tool)")
            }
            let command = try machine.run(program, ["--stay", "--secrets", "nowhere"])
            #expect(command.status == 64 && command.errors.contains("--secrets takes one of"), "\(command)")
        }
    }

    @Test("Whoever starts the host as a service is told when it answers; of one that a tool has started nobody is told")
    func readiness() throws {
        try Machine.with { machine in
            let script = machine.folder + "/service.py"
            try machine.write(
                """
                import json, os, socket, subprocess, sys
                programs, place = sys.argv[1:]
                waiter = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                waiter.bind(place)
                environment = dict(os.environ, NOTIFY_SOCKET=place)
                def docent(*words):
                    done = subprocess.run(
                        [programs + "/docent", *words], env=environment, stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL, check=True, timeout=60)
                    return done.stdout
                def begin():
                    return subprocess.Popen([programs + "/docentd", "--stay"], env=environment)
                docent("host", "start")
                waiter.setblocking(False)
                try:
                    print("told", waiter.recv(100))
                except BlockingIOError:
                    print("untold")
                # While that one has the storage root.
                print(begin().wait(60))
                docent("host", "stop")
                waiter.settimeout(60)
                host = begin()
                try:
                    print(waiter.recv(100).decode())
                    print(json.loads(docent("host", "status", "--json"))["process"] == host.pid)
                finally:
                    host.terminate()
                print(host.wait(60))
                """, to: script)
            let said = try machine.run(
                "/usr/bin/env", ["python3", script, machine.folder + "/bin", machine.folder + "/run/notice"],
                timeout: 200)
            #expect(said.output == "untold\n1\nREADY=1\nTrue\n0\n", "\(said)\n\(machine.logTail)")
        }
    }
}
