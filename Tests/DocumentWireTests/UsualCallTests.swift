import DocumentModel
import DocumentWire
import Testing

/// The calls that are read and written by hand are the same bytes as SwiftProtobuf's, and nothing more is read.
struct UsualCallTests {
    private func calls(_ generator: inout Generator) throws -> [ServiceCall] {
        var read = AccessRequest(location: try generator.location(), intent: .reading)
        let plain = read
        read.coordinator = generator.next() >> UInt64(generator.int(0...63))
        var others: [AccessRequest] = []
        func add(_ change: (inout AccessRequest) throws -> Void) rethrows {
            var other = plain
            try change(&other)
            others.append(other)
        }
        add { $0.onBehalf = "grep" }
        add {
            $0.coordinator = 7
            $0.onBehalf = "Zürich"
        }
        add { $0.intent = .writing }
        add { $0.readingOptions = .forUploading }
        add { $0.metadataOnly = true }
        add { $0.purpose = "p" }
        add { $0.nestedIn = [1] }
        add { $0.presenter = 1 }
        add { $0.answering = 1 }
        add { $0.isPreparation = true }
        add { $0.isOfMount = true }
        add { $0.also = [AccessRequest.Intention(location: plain.location, intent: .reading)] }
        return [.endAccess(0), .endAccess(1), .endAccess(generator.next())]
            + ([plain, read] + others).map(ServiceCall.beginAccess)
    }

    @Test("A call is the same bytes whoever writes it, and the same call whoever reads it")
    func sameBytes() throws {
        try forEachSeed { generator in
            for call in try calls(&generator) {
                let bytes = call.serialized()
                #expect(bytes == call.generalBytes())
                #expect(try ServiceCall(serialized: bytes) == ServiceCall(general: bytes))
            }
        }
    }

    @Test("Whatever somebody sends: what is read by hand is what SwiftProtobuf makes of it")
    func changedBytes() throws {
        func read(_ bytes: [UInt8], _ read: ([UInt8]) throws -> ServiceCall) -> Result<ServiceCall, DocumentError> {
            do {
                return .success(try read(bytes))
            } catch {
                return .failure((error as? DocumentError) ?? DocumentError(.internal, "\(error)"))
            }
        }
        try forEachSeed { generator in
            for call in try calls(&generator) {
                var bytes = call.serialized()
                switch generator.int(0...3) {
                case 0: bytes.removeLast(generator.int(0...bytes.count - 1))
                case 1: bytes.insert(UInt8(generator.int(0...255)), at: generator.int(0...bytes.count))
                case 2: bytes += bytes
                default: bytes[generator.int(0...bytes.count - 1)] = UInt8(generator.int(0...255))
                }
                #expect(read(bytes) { try ServiceCall(serialized: $0) } == read(bytes) { try ServiceCall(general: $0) })
            }
        }
    }
}
