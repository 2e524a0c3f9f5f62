import DocumentModel

/// A read's beginning and its end are nearly all that tools ask for. Like frames, they are read and written by hand when
/// they come in the form that every protobuf runtime writes; everything else, and every surprise, is left to SwiftProtobuf.
extension ServiceCall {
    /// Nil for any other call, or another form.
    init?(usual bytes: [UInt8]) {
        let call: ServiceCall? = bytes.withUnsafeBytes { bytes in
            var scanner = FieldScanner(bytes)
            guard bytes.count > 2, bytes[1] == UsualField.secondByte else { return nil }
            if scanner.skip(UsualField.beginAccess) { return ServiceCall(begin: &scanner) }
            if scanner.skip(UsualField.endAccess) { return ServiceCall(end: &scanner) }
            return nil
        }
        guard let call else { return nil }
        self = call
    }

    private init?(begin scanner: inout FieldScanner) {
        guard scanner.skip(UsualField.secondByte), scanner.enterMessage(), scanner.skip(UsualField.location),
            let name = scanner.byteField(), let text = String(validating: name, as: UTF8.self),
            // One that is none is for the others to refuse.
            let location = try? Location(text),
            scanner.skip(UsualField.intent), scanner.varint() == UsualField.reading
        else { return nil }
        var request = AccessRequest(location: location, intent: .reading)
        if scanner.skip(UsualField.coordinator) {
            guard let coordinator = scanner.varint(), coordinator != 0 else { return nil }
            request.coordinator = coordinator
        }
        if scanner.skip(UsualField.onBehalf) {
            guard let bytes = scanner.byteField(), let name = String(validating: bytes, as: UTF8.self),
                // What is none is for the others to refuse.
                let name = try? Checks.text(name, "A program's name", limit: 256), !name.isEmpty
            else { return nil }
            request.onBehalf = name
        }
        guard scanner.isAtEnd else { return nil }
        self = .beginAccess(request)
    }

    private init?(end scanner: inout FieldScanner) {
        guard scanner.skip(UsualField.secondByte), scanner.enterMessage(), scanner.skip(UsualField.number),
            let access = scanner.varint(), scanner.isAtEnd
        else { return nil }
        self = .endAccess(access)
    }

    /// The bytes that SwiftProtobuf writes; nil for any other call.
    var usualBytes: [UInt8]? {
        switch self {
        case .endAccess(let access) where access != 0:
            var body = [UsualField.number]
            appendVarint(access, to: &body)
            return Self.call(UsualField.endAccess, body)
        case .beginAccess(let request):
            var usual = AccessRequest(location: request.location, intent: .reading)
            usual.coordinator = request.coordinator
            usual.onBehalf = request.onBehalf
            guard request == usual else { return nil }
            let text = request.location.description.utf8
            var body: [UInt8] = []
            body.reserveCapacity(text.count + 16)
            body.append(UsualField.location)
            appendVarint(UInt64(text.count), to: &body)
            body += text
            body += [UsualField.intent, UInt8(UsualField.reading)]
            if let coordinator = request.coordinator, coordinator != 0 {
                body.append(UsualField.coordinator)
                appendVarint(coordinator, to: &body)
            }
            if let name = request.onBehalf?.utf8, !name.isEmpty {
                body.append(UsualField.onBehalf)
                appendVarint(UInt64(name.count), to: &body)
                body += name
            }
            return Self.call(UsualField.beginAccess, body)
        default: return nil
        }
    }

    private static func call(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 6)
        bytes += [tag, UsualField.secondByte]
        appendVarint(UInt64(body.count), to: &bytes)
        return bytes + body
    }
}

/// Tags: `number << 3 | wire type`, as varints.
private enum UsualField {
    /// Of `ServiceRequest`, the first of two bytes: the numbers 40 and 41, each with a length.
    static let beginAccess: UInt8 = 0xC2
    static let endAccess: UInt8 = 0xCA
    static let secondByte: UInt8 = 0x02
    /// Of `BeginAccess`.
    static let location: UInt8 = 0x0A
    static let intent: UInt8 = 0x10
    static let coordinator: UInt8 = 0x50
    static let onBehalf: UInt8 = 0x7A
    /// `Intent.READING`.
    static let reading: UInt64 = 1
    /// Of `EndAccess`.
    static let number: UInt8 = 0x08
}
