import DocumentModel

/// Staging files that are not what was promised.
extension HostAttack {
    static let contents: [HostAttack] = [
        HostAttack(
            "HA-CONTENT-001", "A host stands a provider that provides fewer bytes than it says", rule: "WIRE-40",
            behaviour: "content-short", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-002", "A host stands a provider that provides nothing and says that it is all", rule: "WIRE-40",
            behaviour: "content-empty", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-003", "A host stands a provider that provides more bytes than it says", rule: "WIRE-36",
            behaviour: "content-long", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-004", "A host stands a provider that leaves a hole in the contents", rule: "WIRE-39",
            behaviour: "content-hole", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-005", "A host stands a provider that provides a petabyte, all of it hole", rule: "WIRE-39",
            behaviour: "content-of-a-petabyte", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-006", "A host stands a provider that leaves half of the contents and fails", rule: "WIRE-40",
            behaviour: "content-half-then-failure", asking: .read, expecting: .failure([.serverUnreachable])),
        HostAttack(
            "HA-CONTENT-007", "A host stands a provider that dies when half of the contents are there", rule: "WIRE-40",
            behaviour: "content-half-then-death", asking: .read,
            expecting: .failure([.providerDied])),
        HostAttack(
            "HA-CONTENT-008",
            "A host stands a provider that dies once when half of the contents are there, and is well after that",
            rule: "WIRE-56", behaviour: "content-half-then-death-once", asking: .read, expecting: .success),
        HostAttack(
            "HA-CONTENT-009", "A host stands a provider that removes the staging file", rule: "WIRE-39",
            behaviour: "content-removed", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-010", "A host stands a provider that puts another file in the place of the staging file",
            rule: "WIRE-39", behaviour: "content-replaced", asking: .read, expecting: .either([.contractBroken])),
        HostAttack(
            "HA-CONTENT-011", "A host stands a provider that puts a symbolic link in the place of the staging file",
            rule: "WIRE-39", behaviour: "content-is-a-symlink", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-012", "A host stands a provider that puts a link to nothing in the place of the staging file",
            rule: "WIRE-39", behaviour: "content-is-a-dangling-symlink", asking: .read,
            expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-013", "A host stands a provider that puts a named pipe in the place of the staging file",
            rule: "WIRE-39", behaviour: "content-is-a-pipe", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-014",
            "A host stands a provider that puts a device, or else a socket, in the place of the staging file",
            rule: "WIRE-39", behaviour: "content-is-a-device", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-015", "A host stands a provider that puts a socket in the place of the staging file",
            rule: "WIRE-39", behaviour: "content-is-a-socket", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-016", "A host stands a provider that puts a folder in the place of the staging file",
            rule: "WIRE-39", behaviour: "content-is-a-folder", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-017", "A host stands a provider that gives the staging file a second name", rule: "WIRE-39",
            // Where the sandbox refuses the second name, the contents are right.
            behaviour: "content-has-two-names", asking: .read, expecting: .either([.contractBroken])),
        HostAttack(
            "HA-CONTENT-018", "A host stands a provider that takes all permissions off the staging file",
            rule: "WIRE-39", behaviour: "content-without-permissions", asking: .read,
            expecting: .either([.contractBroken])),
        HostAttack(
            "HA-CONTENT-019", "A host stands a provider that makes the staging file a program with its owner's rights",
            // The contents are right, and the host gives them a mode of its own.
            rule: "WIRE-39", behaviour: "content-set-user-id", asking: .read, expecting: .success),
        HostAttack(
            "HA-CONTENT-020", "A host stands a provider that answers while it still writes", rule: "WIRE-22",
            behaviour: "content-still-open", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-021", "A host stands a provider that answers while it has the file mapped for writing",
            rule: "WIRE-22", behaviour: "content-mapped", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-022", "A host stands a provider that opens the file again when it has answered, and writes",
            rule: "WIRE-22", behaviour: "content-changed-after", asking: .read, expecting: .either([.contractBroken])),
        HostAttack(
            "HA-CONTENT-023", "A host stands a provider that writes beside the staging file, and above its folder",
            rule: "WIRE-39", behaviour: "content-in-the-wrong-place", asking: .read, expecting: .success),
        HostAttack(
            "HA-CONTENT-024",
            "A host stands a provider that links the documents tree into its folder and writes through the link",
            rule: "WIRE-39", behaviour: "content-into-the-tree", asking: .read, expecting: .success),
        HostAttack(
            "HA-CONTENT-025", "A host stands a provider that removes the folder of the staging file too",
            rule: "WIRE-39", behaviour: "content-without-a-folder", asking: .read,
            expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-026", "A host stands a provider that leaves a thousand files beside the staging file",
            rule: "WIRE-40", behaviour: "content-in-a-crowd", asking: .read, expecting: .success),
        HostAttack(
            "HA-CONTENT-027", "A host stands a provider that takes all permissions off the staging file's folder",
            rule: "WIRE-40", behaviour: "content-in-a-locked-folder", asking: .read,
            expecting: .either([.contractBroken])),
        HostAttack(
            "HA-CONTENT-028", "A host stands a provider that provides a document and says that it is a folder",
            rule: "WIRE-34", behaviour: "content-as-a-folder", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-029", "A host stands a provider that provides a document and says that it lies in itself",
            rule: "WIRE-34", behaviour: "content-elsewhere", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-030", "A host stands a provider that provides a document without a version", rule: "WIRE-34",
            behaviour: "content-without-version", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-031", "A host stands a provider that provides a document of minus five bytes", rule: "WIRE-34",
            behaviour: "content-of-negative-size", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-032", "A host stands a provider that provides a document and calls it “../../evil.txt”",
            rule: "WIRE-39", behaviour: "content-under-an-evil-name", asking: .read,
            expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-033", "A host stands a provider that provides a document and does not say how long it is",
            rule: "WIRE-36", behaviour: "content-of-size-unknown", asking: .read, expecting: .success),
        HostAttack(
            "HA-CONTENT-034", "A host stands a provider that gives others' files a name of its own and writes by that",
            rule: "WIRE-39", behaviour: "content-through-a-second-name", asking: .read, expecting: .success),
        HostAttack(
            "HA-CONTENT-035", "A host stands a provider that provides half of the contents, and falls silent",
            rule: "WIRE-28", behaviour: "content-stalls", asking: .read, expecting: .failure([.deadlineExceeded])),
        HostAttack(
            "HA-CONTENT-036",
            "A host stands a provider that provides a byte a second for longer than it may be silent, and falls silent",
            rule: "WIRE-28", behaviour: "content-drips-and-stalls", asking: .read,
            expecting: .failure([.deadlineExceeded]), work: .seconds(6)),
        HostAttack(
            "HA-CONTENT-037",
            "A host stands a provider that provides a byte, and the next one when nobody waits any more",
            rule: "WIRE-28", behaviour: "content-drips-too-slowly", asking: .read,
            expecting: .failure([.deadlineExceeded]), heedsCancel: false),
        HostAttack(
            "HA-CONTENT-038",
            "A host lets go of a provider that provides a byte now and then, and never comes to an end",
            rule: "WIRE-28", behaviour: "content-drips-for-ever", asking: .readAndCancel,
            expecting: .failure([.cancelled])),
        HostAttack(
            "HA-CONTENT-039", "A host waits for contents that come slowly, for longer than anybody may be silent",
            rule: "WIRE-28", behaviour: "content-comes-slowly", asking: .read, expecting: .success,
            work: .seconds(8)),
        HostAttack(
            "HA-CONTENT-040", "A host stands a provider that provides contents and vouches for others", rule: "WIRE-36",
            behaviour: "content-of-another-digest", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-CONTENT-041", "A host stands a provider that vouches for contents with a digest of 31 bytes",
            rule: "WIRE-36", behaviour: "content-of-a-short-digest", asking: .read,
            expecting: .failure([.contractBroken])),
    ]
}
