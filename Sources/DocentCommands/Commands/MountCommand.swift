import ArgumentParser
import CDocentShims
import DocumentClient
import DocumentModel
import DocumentMount
import DocumentTransport
import Glibc
import SystemPackage

struct MountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount",
        abstract: "Let every program on this machine use documents as files.",
        discussion: """
            All domains appear in one folder, which is made when it is missing: ~/Docent, or DIR. A document is brought \
            when a program opens it; names, sizes and times are shown without asking anybody. What programs change is \
            sent when they have closed it. With --read-only nothing can be changed.

            Examples:
              docent mount
              grep -r budget ~/Docent/work
              docent mount --deny tumblerd --deny "cgroup background.slice"
              docent mount --read-only --foreground /srv/documents
            """
    )

    @Argument(help: "The folder; without it, ~/Docent.", completion: .directory)
    var directory: String?

    @Flag(help: "Serve until it is unmounted, or a signal ends it, instead of in the background.")
    var foreground = false

    @Option(
        help: ArgumentHelp(
            "Who is shown what is here, and brings nothing: a program by the name of its executable, or “user NAME”, or “cgroup NAME”. May be repeated; mount-deny in the settings says more of them.",
            valueName: "rule"))
    var deny: [String] = []

    @Flag(help: "Let programs read documents, and change nothing.")
    var readOnly = false

    @Flag(
        inversion: .prefixedNo,
        help:
            "Let the kernel read documents that are here from their files by itself, where it can: from Linux 6.9 on, when root serves the mount."
    )
    var passthrough = true

    @Flag(
        inversion: .prefixedNo,
        help:
            "When a program opens the documents of a folder one after the other, have further small ones of it brought before it asks."
    )
    var readAhead = true

    @Flag(help: "Say, on standard error, why programs are refused something; with --foreground.")
    var explain = false

    func validate() throws {
        guard !explain || foreground else {
            throw ValidationError("--explain is for a mount in the foreground: add --foreground.")
        }
    }

    func run() async throws {
        let rules = try deny.map { try Arguments.downloadRule($0) }
        // Also where another process is going to serve it, whose status nobody would see.
        _ = try HostAddress.asSet()
        let policy = DownloadPolicy(denying: rules, and: UserSettings.file("mount-deny"))
        do throws(DocumentError) {
            try policy.begin()
        } catch {
            // What cannot be read may be readable in a moment.
            if error.code == .invalidArgument { throw WrongSetting(error: error) }
            throw error
        }
        let point = try MountArguments.point(directory)
        point.endIfServerIsGone()
        if foreground {
            let signals = try EndingSignals()
            let mount = try DocumentMount(
                at: point, policy: policy, isReadOnly: readOnly, passesThrough: passthrough,
                readsAhead: readAhead, explain: explain ? Self.explain : nil)
            try await mount.run {
                await signals.wait()
            } onReady: {
                try Console.print(point.path.string)
                ServiceNotice.ready()
            }
        } else {
            let options =
                deny.map { "--deny=\($0)" } + (readOnly ? ["--read-only"] : [])
                + (passthrough ? [] : ["--no-passthrough"]) + (readAhead ? [] : ["--no-read-ahead"])
            try await BackgroundMount(at: point, options: options).start()
            try Console.print(point.path.string)
        }
    }
}

extension MountCommand {
    private static func explain(_ error: DocumentError) {
        Console.complain("docent: a program was refused something: \(error)")
    }
}

struct UnmountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount",
        abstract: "Take the mounted tree away, when no program uses it any more.",
        discussion: "The documents stay where they are."
    )

    @Argument(help: "The folder; without it, ~/Docent.", completion: .directory)
    var directory: String?

    func run() async throws {
        let point = try MountArguments.point(directory)
        if point.endIfServerIsGone() { return }
        let process = point.process
        let descriptor = process.map { docent_open_process($0) } ?? -1
        defer { if descriptor >= 0 { close(descriptor) } }
        try point.unmount()
        guard descriptor >= 0 else { return }
        // A container, or whoever else was given mounts of its own meanwhile, has this one, too: the kernel would not tell its
        // server of its end, and the documents that are written would stay so.
        _ = docent_end_process(descriptor)
        // What it still has to tell the host.
        let deadline = ContinuousClock.now + .seconds(30)
        while docent_process_has_ended(descriptor) == 0 {
            guard ContinuousClock.now < deadline else {
                throw DocumentError(
                    .deadlineExceeded,
                    "\(point.path) is unmounted, and the process that served it (\(process ?? 0)) still runs after 30 seconds: docent status shows what it waits for."
                )
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

enum MountArguments {
    static func point(_ directory: String?) throws(DocumentError) -> MountPoint {
        if let directory { return try MountPoint(FilePath(directory)) }
        return try MountPoint(try MountPoint.usual())
    }
}
