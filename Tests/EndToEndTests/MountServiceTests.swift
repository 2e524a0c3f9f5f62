import Foundation
import Testing

/// The mount as a user's service.
@Suite(.serialized) struct MountServiceTests {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../scripts/lib/mount-unit.sh").standardizedFileURL.path

    @Test(
        "systemd finds nothing wrong with the service, whatever the folder is called that the program is installed in",
        arguments: ["bin", "a b", "100%h", "a\"b", "a'b", "a\\b", "a$b", "a\tb"])
    func unit(folder: String) throws {
        try Machine.with { machine in
            let program = machine.folder + "/" + folder + "/docent"
            if folder != "bin" {
                let around = machine.folder + "/" + folder
                try FileManager.default.createDirectory(atPath: around, withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(
                    atPath: program, withDestinationPath: machine.folder + "/bin/docent")
            }
            let unit = try machine.run("/bin/bash", [Self.script, program])
            #expect(unit.status == 0 && unit.errors.isEmpty, "\(unit)")
            let file = machine.folder + "/docent-mount.service"
            try machine.write(unit.output, to: file)
            let verified = try machine.run(Self.analyze, ["--user", "verify", file])
            #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified)\n\(unit.output)")
            for line in [
                "Type=notify", "Restart=on-failure", "RestartPreventExitStatus=64 78", "KillMode=process",
                "OOMPolicy=continue",
            ] {
                #expect(unit.output.contains("\n\(line)\n"), "\(line)")
            }
        }
    }

    @Test("A mistake in the settings or the command ends the mount with a status at which nobody tries again")
    func mistakes() throws {
        try Machine.with { machine in
            let settings = machine.folder + "/home/.config/docent"
            try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
            for words in [["--foreground"], []] {
                let root = try machine.run(
                    machine.folder + "/bin/docent", ["mount"] + words, environment: ["DOCENT_ROOT": "here"])
                #expect(root.status == 78 && root.errors.contains("DOCENT_ROOT is “here”"), "\(root)")
            }
            try machine.write("programme tumblerd\n", to: settings + "/mount-deny")
            for words in [["--foreground"], []] {
                let setting = try machine.run(machine.folder + "/bin/docent", ["mount"] + words)
                #expect(setting.status == 78 && setting.output.isEmpty, "\(setting)")
                #expect(setting.errors.contains("/mount-deny, line 1"), "\(setting)")
            }
            let rule = try machine.docent("mount", "--foreground", "--deny", "programme tumblerd")
            #expect(rule.status == 64 && rule.errors.contains("“programme tumblerd”"), "\(rule)")
            // What cannot be read may be readable in a moment, and is tried again.
            try FileManager.default.removeItem(atPath: settings + "/mount-deny")
            try FileManager.default.createDirectory(
                atPath: settings + "/mount-deny", withIntermediateDirectories: false)
            let unreadable = try machine.docent("mount", "--foreground")
            #expect(unreadable.status == 1 && unreadable.errors.contains("cannot be read"), "\(unreadable)")
        }
    }

    @Test(
        "Whoever starts the mount as a service is told when the documents can be used, and not before",
        .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."), arguments: ["path", "name"])
    func readiness(kind: String) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let script = machine.folder + "/service.py"
            try machine.write(
                """
                import os, socket, subprocess, sys
                program, place = sys.argv[1:]
                waiter = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                waiter.bind("\\0" + place[1:] if place.startswith("@") else place)
                waiter.settimeout(60)
                mount = subprocess.Popen(
                    [program, "mount", "--foreground"], env=dict(os.environ, NOTIFY_SOCKET=place),
                    stdout=subprocess.DEVNULL)
                try:
                    print(waiter.recv(100).decode(), os.listdir(os.path.expanduser("~/Docent/work")))
                finally:
                    mount.terminate()
                print(mount.wait(60))
                """, to: script)
            defer { machine.takeMountAway() }
            let place = kind == "path" ? machine.folder + "/run/notice" : "@docent-notice-\(UUID())"
            let said = try machine.run(
                "/usr/bin/env", ["python3", script, machine.folder + "/bin/docent", place], timeout: 150)
            #expect(said.output == "READY=1 ['a.txt']\n0\n", "\(said)\n\(machine.logTail)")
        }
    }
}
