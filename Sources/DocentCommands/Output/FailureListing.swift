package import DocumentModel

/// What is known of a provider's failure, for people: facts first, then the bytes that were seen, its own words, and
/// guesses last.
package enum FailureListing {
    package static func text(_ record: PostMortem, path: String) -> String {
        // It is what this advice leads to.
        let advice = " “docent provider show \(record.provider) --last-failure” says more."
        var text = visible(record.summary.replacing(advice, with: "")) + "\n\n"
        var table = Table([Table.Column(""), Table.Column("")])
        table.add("When", Words.time(Timestamp(seconds: Int64(record.time), nanoseconds: 0)))
        table.add("Provider", "\(record.provider) \(record.version)")
        table.add("Domain", record.domain)
        table.add("Program", visible(record.program))
        if let process = record.process {
            table.add("Process", "\(process.id), which lived for \(seconds(process.lived))")
            table.add("Its end", end(of: process) ?? "none: it ran on")
            if let usage = process.usage {
                table.add(
                    "It used",
                    "\(seconds(usage.userTime)) in the program, \(seconds(usage.systemTime)) in the kernel, "
                        + "\(Words.size(usage.peakMemory)) of memory at most"
                )
            }
        } else {
            table.add("Process", "none was started")
        }
        table.add("It was", visible(record.activity))
        for cause in record.causes { table.add("Because", visible(cause)) }
        text += table.text(showsTitles: false)
        text += requests(record)
        text += frames(record)
        if let bad = record.badBytes {
            text += "\nWhat it sent that makes no sense, from byte \(bad.offset) of its output on:\n"
            text += "  \(visible(bad.problem))\n  as text: \(visible(bad.text))\n  as bytes: \(bad.hex)\n"
        }
        if !record.standardError.isEmpty {
            text += "\nThe last that it wrote to standard error:\n"
            text += record.standardError.map { "  \(visible($0))\n" }.joined()
        }
        let guesses = guesses(about: record)
        if !guesses.isEmpty { text += "\nWhat may be behind it:\n" + guesses.map { "  \($0)\n" }.joined() }
        return text + "\nThe record: \(path)\n"
    }

    /// Nil for a process that ran on.
    private static func end(of process: PostMortem.Process) -> String? {
        let forced = process.wasForced ? ", after it was told to end" : ""
        if let signal = process.signal {
            return "signal \(signal)" + (process.signalName.map { " (\($0))" } ?? "") + forced
        }
        return process.exitStatus.map { "exit status \($0)" + forced }
    }

    private static func requests(_ record: PostMortem) -> String {
        guard !record.openRequests.isEmpty else { return "" }
        var table = Table([
            Table.Column("  REQUEST", .right), Table.Column("CALL"), Table.Column("AGE", .right), Table.Column("STATE"),
            Table.Column("DONE", .right), Table.Column("LABEL"),
        ])
        for request in record.openRequests {
            table.add(
                "\(request.id)", request.call, seconds(request.age), request.state,
                request.bytesDone == 0 ? "–" : Words.size(request.bytesDone), visible(request.label))
        }
        return "\nWhat it had not answered:\n" + table.text()
    }

    private static func frames(_ record: PostMortem) -> String {
        let sent = record.framesSent.map { (frame: $0, arrow: "→") }
        let received = record.framesReceived.map { (frame: $0, arrow: "←") }
        let all = (sent + received).sorted { $0.frame.before > $1.frame.before }.suffix(16)
        guard !all.isEmpty else { return "" }
        var table = Table([
            Table.Column(""), Table.Column(""), Table.Column(""), Table.Column(""), Table.Column("", .right),
        ])
        for (frame, arrow) in all {
            let call = frame.call.isEmpty ? frame.kind : "\(frame.kind) \(frame.call)"
            table.add(
                "  \(seconds(frame.before)) before", arrow, call, frame.id == 0 ? "" : "request \(frame.id)",
                Words.count(frame.bytes, "byte", "bytes"))
        }
        return
            "\nThe last frames (→ to it, \(record.framesSentInAll) in all; "
            + "← from it, \(record.framesReceivedInAll) in all):\n"
            + table.text(showsTitles: false)
    }

    /// Never more than what the facts suggest.
    static func guesses(about record: PostMortem) -> [String] {
        var guesses: [String] = []
        if record.process?.signal == 9, record.process?.wasForced == false {
            guesses.append(
                "Nobody here killed it: the kernel may have been out of memory (see “dmesg”), or somebody did.")
        }
        if record.badBytes?.looksLikeText == true {
            guesses.append("Something in the provider prints to standard output, which carries the protocol.")
        }
        if record.stage == .handshake, record.badBytes == nil, record.framesReceivedInAll == 0 {
            // One that has ended by itself waits for nothing.
            let more = record.process?.wasForced == false ? "" : ", or wait for something"
            guesses.append("It never said hello: it may not be a provider\(more).")
        }
        if record.process?.exitStatus == 127 || record.process?.exitStatus == 126 {
            guesses.append("The program, or what it is run with, may be missing or not executable.")
        }
        if record.code == "deadlineExceeded", !record.openRequests.isEmpty {
            guesses.append("It may wait for its server without end.")
        }
        return guesses
    }

    private static func seconds(_ value: Double) -> String {
        if value < 1 { return "\(Int((value * 1000).rounded())) ms" }
        return "\((value * 10).rounded() / 10) s"
    }

    private static func visible(_ text: String) -> String { ErrorText.visible(text) }
}
