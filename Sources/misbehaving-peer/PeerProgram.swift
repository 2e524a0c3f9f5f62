import Glibc

/// The command line.
enum PeerProgram {
    private static let usage = """
        A provider, or a host, that misbehaves in one way: for trying out hosts and providers.

          misbehaving-peer list [--names]
              every behaviour: what it does, and the rule that it tries
          misbehaving-peer provider [BEHAVIOUR]
              a provider; without a behaviour, the domain's setting “behaviour” names it
          misbehaving-peer host BEHAVIOUR [--id ID] [--set KEY=VALUE] -- PROVIDER [ARGUMENT …]
              starts a provider as a misbehaving host does, and judges it: status 0 when it stands it, 1 when not,
              2 when the behaviour cannot be tried with it
          misbehaving-peer tool BEHAVIOUR SOCKET
              connects to a host as a misbehaving tool does, and judges it: status 0 or 1
          misbehaving-peer damage DAMAGE -- HOST [ARGUMENT …]
              runs a host that seems damaged, to try out those who judge hosts; without a damage, lists them
        """

    static func main(_ arguments: [String]) -> Int32 {
        if let words = OwnProcess.takeChildsWords() { OwnProcess.runChild(words) }
        var rest = arguments[...]
        do {
            switch rest.popFirst() {
            case "list": list(namesOnly: rest.first == "--names")
            case "provider":
                // Where it is to leave a dump of its memory, it dies as often as it is asked to.
                var limit = rlimit(rlim_cur: 0, rlim_max: 0)
                setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
                try ProviderPeer().serve(as: rest.first)
            case "host": return try host(Array(rest))
            case "doomed-host": return try doomedHost(Array(rest))
            case "tool": return try tool(Array(rest))
            case "damage": return try damage(Array(rest))
            case "child": OwnProcess.runChild(Array(rest))
            default:
                say(usage)
                return 2
            }
            return 0
        } catch {
            say("misbehaving-peer: \(error)")
            return error is Misuse ? 2 : 1
        }
    }

    private static func list(namesOnly: Bool) {
        for behaviour in ProviderBehaviour.all {
            print(namesOnly ? behaviour.name : "provider \(behaviour.name) — \(behaviour.summary) (\(behaviour.rule))")
        }
        for behaviour in HostBehaviour.all {
            print(namesOnly ? behaviour.name : "host \(behaviour.name) — \(behaviour.summary) (\(behaviour.rule))")
        }
        for behaviour in ToolBehaviour.all {
            print(namesOnly ? behaviour.name : "tool \(behaviour.name) — \(behaviour.summary) (\(behaviour.rule))")
        }
    }

    private static func host(_ arguments: [String]) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        // Tells a provider that it was not started by hand.
        setenv("DOCENT_PROVIDER_COOKIE", "1", 1)
        var rest = arguments[...]
        guard let name = rest.popFirst(), let behaviour = HostBehaviour.all.first(where: { $0.name == name }) else {
            throw Misuse(description: "no such behaviour; misbehaving-peer list shows them")
        }
        let options = try options(&rest)
        var template = Array("/tmp/misbehaving-host.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Misuse(description: "no temporary folder: errno \(errno)") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { Folder.remove(folder) }
        do {
            if behaviour.isKilled {
                try DoomedHost.judge(["doomed-host", folder] + arguments)
            } else {
                let host = try HostPeer(options, folder: folder, keepsErrors: name == "host-never-reads-errors")
                defer { host.provider.kill() }
                try behaviour.run(host)
            }
        } catch let finding as Finding {
            print("failed: \(name): \(finding)")
            return 1
        }
        print("passed: \(name)")
        return 0
    }

    /// `doomed-host FOLDER` and what `host` takes: the process that is to be killed.
    private static func doomedHost(_ arguments: [String]) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        var rest = arguments[...]
        guard let folder = rest.popFirst(), let name = rest.popFirst(),
            let behaviour = HostBehaviour.all.first(where: { $0.name == name && $0.isKilled })
        else { throw Misuse(description: "misbehaving-peer host starts this itself") }
        let host = try HostPeer(try options(&rest), folder: folder, keepsErrors: false)
        defer { host.provider.kill() }
        do {
            try DoomedHost.run(behaviour, host)
        } catch let finding as Finding {
            print(finding)
            return 1
        }
    }

    private static func options(_ rest: inout ArraySlice<String>) throws -> HostPeer.Options {
        var options = HostPeer.Options()
        while let word = rest.popFirst() {
            switch word {
            case "--id": options.providerID = rest.popFirst() ?? ""
            case "--set":
                let pair = (rest.popFirst() ?? "").split(separator: "=", maxSplits: 1).map { String($0) }
                guard pair.count == 2 else { throw Misuse(description: "--set takes KEY=VALUE") }
                options.settings.append((pair[0], pair[1]))
            case "--":
                options.command = Array(rest)
                return options
            default: throw Misuse(description: "“\(word)” is not known; misbehaving-peer shows what is")
            }
        }
        throw Misuse(description: "name a provider after “--”")
    }

    private static func tool(_ arguments: [String]) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard arguments.count == 2, let behaviour = ToolBehaviour.all.first(where: { $0.name == arguments[0] }) else {
            throw Misuse(description: "name a behaviour and a socket; misbehaving-peer list shows the behaviours")
        }
        do {
            try behaviour.run(arguments[1])
        } catch let finding as Finding {
            print("failed: \(behaviour.name): \(finding)")
            return 1
        }
        print("passed: \(behaviour.name)")
        return 0
    }

    private static func damage(_ arguments: [String]) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard let name = arguments.first else {
            for damage in HostDamage.allCases { print("\(damage.rawValue) — \(damage.summary)") }
            return 0
        }
        guard let damage = HostDamage(rawValue: name), arguments.dropFirst().first == "--" else {
            throw Misuse(
                description: "name a damage, and a host after “--”; misbehaving-peer damage shows what there is")
        }
        return try DamagedHost(damage, Array(arguments.dropFirst(2))).run()
    }

    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
