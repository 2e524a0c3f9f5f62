package import Foundation
import Glibc
import ProviderLauncher
import TOMLKit

/// Reads the kit's files: TOML, or JSON when the name says so.
public enum ConfigurationFile {
    private static let sizeLimit = 1_048_576

    /// Reads a configuration.
    ///
    /// - Parameter path: ends in `.toml` or `.json`.
    /// - Throws: ``ConformanceUsageError`` with the file and what is wrong.
    public static func read(_ path: String) throws -> ConformanceConfiguration {
        try decode(ConformanceConfiguration.self, from: path)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
        let data: Data
        // Following links; a pipe or a device could be read for ever.
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let kind = try? FileManager.default.attributesOfItem(atPath: place)[.type] as? FileAttributeType
        if let kind, kind != .typeRegular {
            throw ConformanceUsageError("“\(path)” is no file that can be read: name a TOML or JSON file.")
        }
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ConformanceUsageError("“\(path)” cannot be read: \(Self.words(forReading: path)).")
        }
        return try decode(type, from: data, path)
    }

    /// - Parameter path: what the file is called, in messages too.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, _ path: String) throws -> Value {
        guard data.count <= sizeLimit, let text = String(data: data, encoding: .utf8) else {
            throw ConformanceUsageError("“\(path)” is not a text of at most \(sizeLimit) bytes.")
        }
        do {
            if path.hasSuffix(".json") { return try JSONDecoder().decode(Value.self, from: data) }
            // What would end the whole program.
            if let problem = ManifestSyntax.problem(in: text) {
                throw ConformanceUsageError(
                    "“\(path)” cannot be used: line \(problem.line) is not TOML (\(problem.text)).")
            }
            return try TOMLDecoder().decode(Value.self, from: text)
        } catch let error as ConformanceUsageError {
            throw error
        } catch {
            throw ConformanceUsageError("“\(path)” cannot be used: \(words(for: error)).")
        }
    }

    /// Why a file cannot be read: what the system says of it.
    static func words(forReading path: String) -> String { words(forOpening: path, O_RDONLY) }

    /// Why a file cannot be written.
    package static func words(forWriting path: String) -> String {
        let isThere = access(path, F_OK) == 0
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !isThere, access(folder, W_OK) != 0 { return String(cString: strerror(errno)) }
        return words(forOpening: path, O_WRONLY)
    }

    private static func words(forOpening path: String, _ mode: Int32) -> String {
        let file = open(path, mode | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        close(file)
        return "Input/output error"
    }

    private static func words(for error: any Error) -> String {
        if let error = error as? TOMLParseError {
            return "line \(error.source.begin.line) is not TOML (\(error.description))"
        }
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, let context):
            // Some decoders have the key in its own path.
            let path = context.codingPath.last?.stringValue == key.stringValue ? [] : [key]
            return "“\(words(for: context.codingPath + path))” is missing"
        case .valueNotFound(_, let context) where !context.codingPath.isEmpty:
            return "“\(words(for: context.codingPath))” is missing"
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            let place = words(for: context.codingPath)
            return (place.isEmpty ? "" : "at “\(place)”: ") + context.debugDescription
        @unknown default: return "\(error)"
        }
    }

    /// `failures[0].message`.
    private static func words(for path: [any CodingKey]) -> String {
        path.reduce("") { words, key in
            if let number = key.intValue { return "\(words)[\(number)]" }
            return words.isEmpty ? key.stringValue : "\(words).\(key.stringValue)"
        }
    }
}
