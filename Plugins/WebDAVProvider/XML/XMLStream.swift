internal import CLibExpat

/// Why a document is not read on.
struct XMLProblem: Error, Hashable {
    /// For people; the end of a sentence.
    let reason: String
    /// The document was whole, and something else came behind it.
    var isMixed = false
}

/// Reads the XML of a 207 answer from somebody who is not trusted, piece by piece as it comes.
///
/// A document type, and with it every entity and everything that would have to be fetched, is refused before it is
/// read. Depth, size, and what has to be kept for a piece of markup that does not end are limited.
final class XMLStream {
    struct Limits: Hashable, Sendable {
        var depth = 32
        /// Of the whole document, in bytes.
        var size: Int64 = 1 << 28
        /// Of one piece of markup, in bytes.
        var markup = 1 << 20
        /// Handed to the parser at a time.
        var chunk = 1 << 16
    }

    private(set) var receiver: Multistatus
    private let parser: XML_Parser
    private let limits: Limits
    private var problem: XMLProblem?
    private var isMixed = false
    private var depth = 0
    private var size: Int64 = 0
    /// Bytes since the parser last made something of them.
    private var unread = 0

    init(_ receiver: Multistatus, limits: Limits = Limits()) throws(XMLProblem) {
        // A line feed cannot be part of a namespace's address.
        guard let parser = XML_ParserCreateNS(nil, XML_Char(UInt8(ascii: "\n"))) else {
            throw XMLProblem(reason: "there is no memory left to read it")
        }
        self.receiver = receiver
        self.parser = parser
        self.limits = limits
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { stream, name, _ in XMLStream.of(stream)?.begin(name) },
            { stream, _ in XMLStream.of(stream)?.end() })
        XML_SetCharacterDataHandler(parser) { stream, text, count in
            XMLStream.of(stream)?.text(UnsafeRawBufferPointer(start: text, count: Int(count)))
        }
        XML_SetStartDoctypeDeclHandler(parser) { stream, _, _, _, _ in
            XMLStream.of(stream)?.stop("it has a document type, which Docent does not accept from a server")
        }
        XML_SetCommentHandler(parser) { stream, _ in XMLStream.of(stream)?.pass() }
        XML_SetProcessingInstructionHandler(parser) { stream, _, _ in XMLStream.of(stream)?.pass() }
    }

    deinit {
        XML_ParserFree(parser)
    }

    /// Reads on.
    ///
    /// - Throws: `XMLProblem`; nothing can be fed any more then.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(XMLProblem) {
        if let problem { throw problem }
        size += Int64(bytes.count)
        guard size <= limits.size else { throw remember("it is longer than \(limits.size >> 20) MiB") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(limits.chunk))
            rest = rest.dropFirst(piece.count)
            unread += piece.count
            guard unread <= limits.markup else { throw remember("it has a piece of markup that does not end") }
            try parse(piece, isFinal: false)
        }
    }

    /// The document is over.
    ///
    /// - Throws: `XMLProblem` when it was not whole.
    func finish() throws(XMLProblem) -> Multistatus {
        if let problem { throw problem }
        try parse(UnsafeRawBufferPointer(start: nil, count: 0), isFinal: true)
        return receiver
    }

    /// What was received so far, to take finished parts out of it.
    func withReceiver<Result>(_ body: (inout Multistatus) -> Result) -> Result { body(&receiver) }

    private func parse(_ piece: UnsafeRawBufferPointer, isFinal: Bool) throws(XMLProblem) {
        let start = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
        let status = XML_Parse(parser, start, Int32(piece.count), isFinal ? 1 : 0)
        if let problem { throw problem }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown"
            // What a server says that has come upon something in the middle of an answer, and says it behind that.
            isMixed = XML_GetErrorCode(parser) == XML_ERROR_JUNK_AFTER_DOC_ELEMENT
            throw remember("it is not XML as it has to be: \(reason) in line \(XML_GetCurrentLineNumber(parser))")
        }
    }

    private func begin(_ name: UnsafePointer<XML_Char>?) {
        unread = 0
        guard problem == nil, let name else { return }
        depth += 1
        guard depth <= limits.depth else {
            return stop("its elements are nested more than \(limits.depth) levels deep")
        }
        attempt { receiver throws(XMLProblem) in try receiver.begin(String(cString: name)) }
    }

    private func text(_ bytes: UnsafeRawBufferPointer) {
        unread = 0
        guard problem == nil else { return }
        attempt { receiver throws(XMLProblem) in try receiver.text(bytes) }
    }

    private func end() {
        unread = 0
        guard problem == nil else { return }
        depth -= 1
        attempt { receiver throws(XMLProblem) in try receiver.end() }
    }

    private func pass() { unread = 0 }

    private func attempt(_ body: (inout Multistatus) throws(XMLProblem) -> Void) {
        do throws(XMLProblem) {
            try body(&receiver)
        } catch {
            stop(error.reason)
        }
    }

    private func stop(_ reason: String) {
        _ = remember(reason)
        XML_StopParser(parser, 0)
    }

    private func remember(_ reason: String) -> XMLProblem {
        let first = problem ?? XMLProblem(reason: reason, isMixed: isMixed)
        problem = first
        return first
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> XMLStream? {
        data.map { Unmanaged<XMLStream>.fromOpaque($0).takeUnretainedValue() }
    }
}
