import DocumentModel
import DocumentTransport
import DocumentWire
import Foundation
import ProviderLauncher
import SystemPackage

extension ProviderUnderTest {
    /// Finds the provider and checks what it is given. Blocks.
    ///
    /// - Throws: ``ConformanceUsageError``, ``KitError``.
    init(
        _ subject: ConformanceSubject, _ configuration: ConformanceConfiguration, configurationFolder: String,
        folder: KitFolder, context: LaunchContext, keepsRecords: Bool
    ) throws {
        let given = configuration.settings.mapValues { folder.filled($0, configurationFolder) }
        do throws(DocumentError) {
            switch subject {
            case .bundle(let path):
                bundle = try ProviderBundle.load(folder: FilePath(Self.absolute(path)))
                // As a host does right before each start.
                try bundle.verify()
                settings = try bundle.manifest.validate(settings: given)
                hasManifest = true
            case .command(let words):
                bundle = try Self.bundle(for: words, identifier: configuration.identifier, context: context)
                settings = given
                hasManifest = false
            }
        } catch {
            throw ConformanceUsageError(error.description)
        }
        self.folder = folder
        self.context = context
        startLimit = .seconds(configuration.limits.start)
        let secrets = Self.secrets(in: configuration.settings, of: hasManifest ? bundle.manifest : nil)
        tap = TrafficTap(redaction: FrameRedaction(secrets: secrets), keepsRecords: keepsRecords)
    }

    /// What was given in confidence: what the manifest calls secret, and texts that are neither paths nor too short to be
    /// looked for everywhere.
    private static func secrets(in given: [String: String], of manifest: Manifest?) -> [String] {
        given.filter { key, value in
            guard let manifest else {
                return value.utf8.count >= shortestWord && !value.contains("{work}") && !value.contains("{config}")
            }
            return manifest.settings.contains {
                $0.key == key && $0.type == .string && ($0.isSecret || value.utf8.count >= shortestWord)
            }
        }.map(\.value)
    }

    private static let shortestWord = 6

    /// A bundle that is not on disk.
    private static func bundle(
        for words: [String], identifier: String?, context: LaunchContext
    ) throws(DocumentError) -> ProviderBundle {
        guard let first = words.first, let program = find(first, path: context.environment["PATH"] ?? "") else {
            throw DocumentError(.notConfigured, "There is no program “\(words.first ?? "")” that can be run.")
        }
        let capabilities = ProviderCapability.allCases.map { ExpectedFailures.quoted($0.rawValue) }.joined(
            separator: ", ")
        let text = """
            identifier = \(ExpectedFailures.quoted(identifier ?? "org.docent.conformance"))
            name = \(ExpectedFailures.quoted(FilePath(program).lastComponent?.string ?? program))
            executable = \(ExpectedFailures.quoted(program))
            arguments = [\(words.dropFirst().map(ExpectedFailures.quoted).joined(separator: ", "))]
            modes = ["import"]
            capabilities = [\(capabilities)]
            """
        let manifest = try Manifest(text: text, file: "the command line")
        return ProviderBundle(
            manifest: manifest, folder: FilePath(program).removingLastComponent(), executable: FilePath(program))
    }

    private static func find(_ program: String, path: String) -> String? {
        let candidates =
            program.contains("/")
            ? [absolute(program)] : path.split(separator: ":").map { absolute("\($0)/\(program)") }
        return candidates.first {
            var isFolder: ObjCBool = false
            return FileManager.default.isExecutableFile(atPath: $0)
                && FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }
}

extension KitFolder {
    /// Puts the folders in for `{work}` and `{config}`.
    func filled(_ text: String, _ configurationFolder: String) -> String {
        text.replacingOccurrences(of: "{work}", with: work.string)
            .replacingOccurrences(of: "{config}", with: configurationFolder)
    }
}
