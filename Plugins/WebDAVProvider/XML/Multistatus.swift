/// The body of a 207 answer (RFC 4918, section 13), as it comes. A value without I/O.
struct Multistatus {
    struct Limits: Hashable, Sendable {
        /// Resources in one answer.
        var resources = 300_000
        /// What is kept of one answer, in bytes: several are read at a time, and the provider has 1 GiB in all.
        var kept = 1 << 27
        /// Bytes of one property's text.
        var text = 1 << 14
        /// Whether the document may say why something was refused instead.
        var mayBeRefusal = false
    }

    /// Why something was refused, or is not whole, as far as it matters here (RFC 6578).
    enum Condition: String, Sendable {
        case validToken = "DAV:\nvalid-sync-token"
        case withinLimits = "DAV:\nnumber-of-matches-within-limits"
        case traversal = "DAV:\nsync-traversal-supported"
    }

    /// What has come to its end and was not taken yet.
    private(set) var finished: [Resource] = []
    /// Whether the document was a multistatus at all.
    private(set) var isMultistatus = false
    /// Of a refusal as a whole.
    private(set) var conditions: Set<Condition> = []
    /// What to ask with for what changes after this answer.
    private(set) var syncToken: String?

    private let limits: Limits
    private var count = 0
    private var kept = 0
    /// What a resource takes beside its texts, in bytes.
    private static let share = 256
    private var open: [Element] = []
    private var resource = Resource()
    private var found = Properties()
    private var partStatus: Int?
    private var text: [UInt8] = []
    private var isReadingText = false

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The resources that are complete; they are forgotten here.
    mutating func take() -> [Resource] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// - Parameter name: the namespace, a line feed, and the local name; the local name alone without a namespace.
    mutating func begin(_ name: String) throws(XMLProblem) {
        let element = Element(name, in: open.last)
        if open.isEmpty {
            guard element == .multistatus || (element == .error && limits.mayBeRefusal) else {
                throw XMLProblem(reason: "it is no list of WebDAV resources")
            }
            isMultistatus = element == .multistatus
        }
        open.append(element)
        switch element {
        case .response:
            count += 1
            guard count <= limits.resources else {
                throw XMLProblem(reason: "it lists more than \(limits.resources) resources")
            }
            resource = Resource()
            try keep(Self.share)
        case .propstat:
            found = Properties()
            partStatus = nil
        case .collection: found.isFolder = true
        case .condition:
            guard let condition = Condition(rawValue: name) else { break }
            if open.contains(.response) { resource.conditions.insert(condition) } else { conditions.insert(condition) }
        case _ where element.hasText:
            text.removeAll(keepingCapacity: true)
            isReadingText = true
        default: break
        }
    }

    mutating func text(_ bytes: UnsafeRawBufferPointer) throws(XMLProblem) {
        guard isReadingText else { return }
        guard text.count + bytes.count <= limits.text else {
            throw XMLProblem(reason: "a property of it has more than \(limits.text >> 10) KiB")
        }
        try keep(bytes.count)
        text += bytes
    }

    private mutating func keep(_ bytes: Int) throws(XMLProblem) {
        kept += bytes
        guard kept <= limits.kept else {
            throw XMLProblem(reason: "what it lists takes more than \(limits.kept >> 20) MiB")
        }
    }

    mutating func end() throws(XMLProblem) {
        guard let element = open.popLast() else { return }
        if element.hasText { isReadingText = false }
        switch element {
        case .response:
            if !resource.href.isEmpty { finished.append(resource) }
        case .href: resource.href = string
        case .responseStatus:
            resource.status = Self.code(string)
            if resource.status == nil { resource.isUnreadable = true }
        case .status:
            partStatus = Self.code(string)
            if partStatus == nil { resource.isUnreadable = true }
        case .propstat:
            // The status comes after what it is about. Without one the properties are as good as found.
            if partStatus.map({ (200..<300).contains($0) }) ?? true {
                resource.properties.merge(found)
                resource.hasProperties = true
            }
        case .length: found.length = Int64(string).flatMap { $0 >= 0 ? $0 : nil }
        case .modified: found.modified = DateText.http(string)
        case .created: found.created = DateText.rfc3339(string) ?? DateText.http(string)
        case .tag: found.tag = EntityTag(string)
        case .answerToken: syncToken = string.isEmpty ? nil : string
        case .token: found.syncToken = string.isEmpty ? nil : string
        case .available: found.quota.available = Int64(string).flatMap { $0 >= 0 ? $0 : nil }
        case .used: found.quota.used = Int64(string).flatMap { $0 >= 0 ? $0 : nil }
        default: break
        }
    }

    private var string: String { String(String(decoding: text, as: UTF8.self).trimmed) }

    /// “HTTP/1.1 200 OK” to 200.
    static func code(_ line: String) -> Int? {
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let code = Int(words[1]), (100..<1000).contains(code)
        else {
            return nil
        }
        return code
    }
}

/// An element, as far as it means anything where it stands.
private enum Element {
    case multistatus, response, href, responseStatus, propstat, status, prop
    case types, collection, length, modified, created, tag, available, used, token
    case answerToken, error, condition, other

    init(_ name: String, in parent: Element?) {
        self =
            switch (parent, name) {
            case (nil, "DAV:\nmultistatus"): .multistatus
            case (nil, "DAV:\nerror"), (.response, "DAV:\nerror"): .error
            case (.error, _): .condition
            case (.multistatus, "DAV:\nsync-token"): .answerToken
            case (.multistatus, "DAV:\nresponse"): .response
            case (.response, "DAV:\nhref"): .href
            case (.response, "DAV:\nstatus"): .responseStatus
            case (.response, "DAV:\npropstat"): .propstat
            case (.propstat, "DAV:\nstatus"): .status
            case (.propstat, "DAV:\nprop"): .prop
            case (.prop, "DAV:\nresourcetype"): .types
            case (.types, "DAV:\ncollection"): .collection
            case (.prop, "DAV:\ngetcontentlength"): .length
            case (.prop, "DAV:\ngetlastmodified"): .modified
            case (.prop, "DAV:\ncreationdate"): .created
            case (.prop, "DAV:\ngetetag"): .tag
            case (.prop, "DAV:\nquota-available-bytes"): .available
            case (.prop, "DAV:\nquota-used-bytes"): .used
            case (.prop, "DAV:\nsync-token"): .token
            default: .other
            }
    }

    var hasText: Bool {
        switch self {
        case .href, .responseStatus, .status, .length, .modified, .created, .tag, .token, .answerToken: true
        case .available, .used: true
        default: false
        }
    }
}
