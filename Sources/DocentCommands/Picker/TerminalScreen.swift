import CDocentShims
import DocumentModel
import Glibc
import Synchronization
import SystemPackage

/// The process's terminal, drawn on as a whole: standard output stays free for what the program has to give.
///
/// Until ``close()`` the terminal is raw. It is put back on every way out: by ``close()``, by a signal (which is told, so
/// that the program ends in order), and by a crash.
final class TerminalScreen: Sendable {
    /// What comes from the terminal.
    enum Input: Sendable {
        case key(Key)
        case resized(TerminalSize)
        /// It was somebody else's for a while.
        case mustRedraw
        /// A request to end.
        case signal(Int32)
        /// The terminal is gone.
        case gone
    }

    private let terminal: FileDescriptor
    private let wakeReader: FileDescriptor
    private let wakeWriter: FileDescriptor
    private let thread = Mutex<pthread_t?>(nil)
    let glyphs: PickerGlyphs
    private let colors: Bool

    /// The alternate screen, no wrapping of long lines, pastes marked; and back.
    private static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"
    private static let leave: StaticString = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[0m\u{1B}[?1049l"

    /// A static string ends in a NUL, and stays where it is.
    private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// How long an escape waits for the rest of a sequence, in milliseconds.
    private static let escapePatience: Int32 = 40

    /// Takes the terminal over.
    ///
    /// - Throws: `invalidArgument` when there is none, or one that cannot be drawn on.
    init(environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) throws(DocumentError)
    {
        try Self.check(environment("TERM"))
        let file = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw Self.missing(Errno(rawValue: errno)) }
        terminal = FileDescriptor(rawValue: file)
        do {
            (wakeReader, wakeWriter) = try FileDescriptor.pipe()
        } catch {
            try? terminal.close()
            throw DocumentError(.localStorage, "The picker could not be started (\(error)): close some files.")
        }
        for end in [wakeReader, wakeWriter] {
            _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
        }
        glyphs = Self.speaksUnicode(environment) ? .unicode : .ascii
        colors = (environment("NO_COLOR") ?? "").isEmpty
        let (enter, leave) = (Self.cString(Self.enter), Self.cString(Self.leave))
        guard docent_terminal_enter(terminal.rawValue, wakeWriter.rawValue, enter, leave) == 0 else {
            for descriptor in [terminal, wakeReader, wakeWriter] { try? descriptor.close() }
            throw DocumentError(.invalidArgument, "The terminal cannot be drawn on: name the document instead.")
        }
    }

    /// Says at once when there is nothing to draw on.
    static func require() throws(DocumentError) {
        try check(getenv("TERM").map { String(cString: $0) })
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw missing(Errno(rawValue: errno)) }
        Glibc.close(terminal)
    }

    private static func missing(_ error: Errno) -> DocumentError {
        DocumentError(
            .invalidArgument,
            "The picker needs a terminal, and there is none (\(error)): name the document instead, for example “docent open work:/notes.txt”."
        )
    }

    static func check(_ name: String?) throws(DocumentError) {
        guard let name, !name.isEmpty, name != "dumb", name != "unknown" else {
            let what = name.map { "“\($0)”" } ?? "not set"
            throw DocumentError(
                .invalidArgument,
                "The picker cannot draw on this terminal (TERM is \(what)): name the document instead, for example “docent open work:/notes.txt”."
            )
        }
    }

    static func speaksUnicode(_ environment: (String) -> String?) -> Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = environment(name), !value.isEmpty else { continue }
            return value.lowercased().contains("utf-8") || value.lowercased().contains("utf8")
        }
        return false
    }

    var size: TerminalSize {
        var (columns, rows): (UInt16, UInt16) = (0, 0)
        guard docent_terminal_size(terminal.rawValue, &columns, &rows) == 0, columns > 0, rows > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(columns), rows: Int(rows))
    }

    func draw(_ screen: Screen, over old: Screen?) {
        // A terminal that is gone is told of by its input.
        _ = try? terminal.writeAll(Array(screen.sequence(from: old, colors: colors).utf8))
    }

    /// Stops the process until somebody lets it go on.
    func suspend() {
        docent_terminal_suspend()
    }

    /// Reads on a thread of its own, until ``close()``.
    func read(_ take: @escaping @Sendable (Input) -> Void) {
        let reader = Reader(screen: self, take: take)
        var id = pthread_t()
        let error = pthread_create(
            &id, nil,
            { argument in
                if let argument { Unmanaged<Reader>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(reader).toOpaque())
        if error == 0 {
            thread.withLock { $0 = id }
        } else {
            Unmanaged.passUnretained(reader).release()
            take(.gone)
        }
    }

    /// The terminal is what it was before. Nothing is drawn or read any more: the process ends, or ``close()`` follows.
    func giveBack() {
        docent_terminal_leave()
    }

    /// Gives the terminal back.
    func close() {
        giveBack()
        // 0 is no signal: the reader ends.
        _ = try? wakeWriter.writeAll([0])
        if let id = thread.withLock({ $0 }) { pthread_join(id, nil) }
        for descriptor in [terminal, wakeReader, wakeWriter] { try? descriptor.close() }
    }

    private final class Reader: Sendable {
        let screen: TerminalScreen
        let take: @Sendable (Input) -> Void

        init(screen: TerminalScreen, take: @escaping @Sendable (Input) -> Void) {
            self.screen = screen
            self.take = take
        }

        func run() {
            var decoder = KeyDecoder()
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                var files = [
                    pollfd(fd: screen.terminal.rawValue, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: screen.wakeReader.rawValue, events: Int16(POLLIN), revents: 0),
                ]
                let ready = poll(&files, 2, decoder.isWaiting ? TerminalScreen.escapePatience : -1)
                if ready < 0, errno != EINTR { return take(.gone) }
                if ready == 0 { for key in decoder.flush() { take(.key(key)) } }
                if ready <= 0 { continue }
                if files[1].revents != 0, !takeSignals() { return }
                guard files[0].revents != 0 else { continue }
                let count = Glibc.read(screen.terminal.rawValue, &buffer, buffer.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return take(.gone) }
                for key in decoder.take(Array(buffer[..<count])) { take(.key(key)) }
            }
        }

        /// - Returns: false at the end.
        private func takeSignals() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = Glibc.read(screen.wakeReader.rawValue, &bytes, bytes.count)
            for byte in bytes.prefix(max(count, 0)) {
                switch Int32(byte) {
                case 0: return false
                case SIGWINCH: take(.resized(screen.size))
                case SIGTSTP:
                    screen.suspend()
                    take(.resized(screen.size))
                    take(.mustRedraw)
                default: take(.signal(Int32(byte)))
                }
            }
            return true
        }
    }
}
