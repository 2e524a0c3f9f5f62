/// Host tools that break the rules, at the host's socket.
extension HostAttack {
    static let tools: [HostAttack] = [
        HostAttack(
            "HA-TOOL-001", "A host stands a tool that connects and says nothing", rule: "WIRE-15",
            behaviour: "tool-says-nothing", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-002", "A host stands a tool that is a web browser", rule: "WIRE-2", behaviour: "tool-speaks-http",
            asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-003", "A host stands a tool that sends noise", rule: "WIRE-8", behaviour: "tool-writes-noise",
            asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-004", "A host stands a tool that sends a frame of no bytes", rule: "WIRE-2",
            behaviour: "tool-announces-zero", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-005", "A host stands a tool that announces a frame above the limit", rule: "WIRE-2",
            behaviour: "tool-announces-too-much", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-006", "A host stands a tool that pads the length of its hello", rule: "WIRE-2",
            behaviour: "tool-pads-its-length", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-007", "A host stands a tool that begins a hello and says no more", rule: "WIRE-4",
            behaviour: "tool-stops-in-its-hello", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-008", "A host stands a tool that says its hello one byte at a time", rule: "WIRE-4",
            behaviour: "tool-drips-its-hello", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-009", "A host stands a tool that offers only versions that nobody knows", rule: "WIRE-12",
            behaviour: "tool-of-the-future", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-010", "A host stands a tool that says who it is with bytes that are no message", rule: "WIRE-8",
            behaviour: "tool-without-sense", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-011", "A host stands a tool that has a name that rewrites the terminal", rule: "WIRE-8",
            behaviour: "tool-of-evil-name", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-012", "A host stands a tool that asks before it has said hello", rule: "WIRE-11",
            behaviour: "tool-asks-early", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-013", "A host stands a tool that says hello twice", rule: "WIRE-11",
            behaviour: "tool-says-hello-twice", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-014", "A host stands a tool that asks what no host knows", rule: "WIRE-9",
            behaviour: "tool-asks-the-unknown", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-015", "A host stands a tool that asks with bytes that are no question", rule: "WIRE-8",
            behaviour: "tool-asks-nonsense", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-016", "A host stands a tool that asks with a million groups, one in the other", rule: "WIRE-8",
            behaviour: "tool-nests-deeply", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-017", "A host stands a tool that asks for locations and paths that cannot be", rule: "WIRE-8",
            behaviour: "tool-asks-for-evil", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-018", "A host stands a tool that adds domains that cannot be", rule: "WIRE-8",
            behaviour: "tool-adds-evil-domains", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-019", "A host stands a tool that ends accesses that are not its own", rule: "WIRE-8",
            behaviour: "tool-ends-what-it-never-began", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-020", "A host stands a tool that answers requests that nobody made", rule: "WIRE-21",
            behaviour: "tool-answers-unasked", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-021", "A host stands a tool that asks with an id of the host's", rule: "WIRE-19",
            behaviour: "tool-asks-with-the-hosts-ids", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-022", "A host stands a tool that asks twice with one id", rule: "WIRE-19",
            behaviour: "tool-asks-twice-with-one-id", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-023", "A host stands a tool that cancels what nobody asked, five thousand times", rule: "WIRE-22",
            behaviour: "tool-cancels-the-unknown", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-024", "A host stands a tool that cancels each question in the same breath", rule: "WIRE-22",
            behaviour: "tool-cancels-everything", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-025", "A host stands a tool that shuts down twice, and asks after that", rule: "WIRE-51",
            behaviour: "tool-shuts-down-twice", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-026", "A host stands a tool that sends frames of kinds that nobody knows", rule: "WIRE-9",
            behaviour: "tool-sends-unknown-kinds", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-027", "A host stands a tool that asks a thousand things at once, more than it may",
            rule: "WIRE-25", behaviour: "tool-asks-too-much", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-028", "A host stands a tool that asks and asks, and reads no answers", rule: "WIRE-6",
            behaviour: "tool-never-reads", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-029", "A host stands a tool that pings without end and reads nothing", rule: "WIRE-6",
            behaviour: "tool-pings-and-never-reads", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-030", "A host stands a tool that sends frames that ask for nothing, without end", rule: "WIRE-6",
            behaviour: "tool-floods-with-nothing", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-031", "A host stands a tool that connects two thousand times and goes at once", rule: "WIRE-49",
            behaviour: "tool-comes-and-goes", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-032",
            "A host stands a tool that opens two thousand connections that say nothing, beside one that asks",
            rule: "WIRE-49", behaviour: "tool-in-a-crowd", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-033", "A host stands a tool that opens three hundred connections that all ask", rule: "WIRE-49",
            behaviour: "tool-in-a-friendly-crowd", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-034", "A host stands a tool that asks, and is gone before the answer, three hundred times",
            rule: "WIRE-43", behaviour: "tool-vanishes-busy", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-035", "A host stands a tool that takes the places of ends for other things", rule: "WIRE-25",
            behaviour: "tool-calls-everything-an-end", asking: .tool, expecting: .success),
        HostAttack(
            "HA-TOOL-036", "A host stands a tool that shuts its ears, asks once, and notifies without end",
            rule: "WIRE-6", behaviour: "tool-floods-deaf", asking: .tool, expecting: .success),
    ]
}
