import DocumentModel
import Foundation
import ProviderConformance

/// The conformance kit's files, as TOML and as JSON: each is refused with a sentence that names it, or taken; and a list of
/// expected failures that was taken is written and read again as the same.
enum ConformanceFileTarget: FuzzTarget {
    static let name = "conformance-file"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let data = Data(input)
        for file in ["kit.toml", "kit.json"] {
            let configuration = try read(file) {
                try ConfigurationFile.decode(ConformanceConfiguration.self, from: data, file)
            }
            if let configuration {
                try require(1...16 ~= configuration.lanes, "It has \(configuration.lanes) lanes.")
                let limits = [
                    configuration.limits.start, configuration.limits.request, configuration.limits.factor,
                ]
                try require(limits.allSatisfy { $0 > 0 && $0 <= 3600 }, "A limit is none: \(limits)")
            }
            guard let list = try read(file, { try Self.list(data, file) }) else { continue }
            let again = try read("again.toml") { try Self.list(Data(list.text.utf8), "again.toml") }
            try require(again == list, "A list was written, and read as another.")
        }
    }

    private static func list(_ data: Data, _ file: String) throws -> ExpectedFailures {
        try ConfigurationFile.decode(ExpectedFailures.self, from: data, file).checked(file)
    }

    /// Nil when it is refused as it should be.
    private static func read<Value>(_ file: String, _ body: () throws -> Value) throws(FuzzFinding) -> Value? {
        do {
            return try body()
        } catch let error as ConformanceUsageError {
            try require(error.message.contains(file), "It was refused without its name: \(error.message)")
            return nil
        } catch {
            throw FuzzFinding("It was refused with something else: \(error)")
        }
    }
}
