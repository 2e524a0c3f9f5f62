import DocumentClient
import Foundation

try await withDocumentClient(tool: "WordCount") { client in
    for argument in CommandLine.arguments.dropFirst() {
        let text = try await client.coordinate(readingItemAt: Location(argument)) { path, _ in
            try String(contentsOfFile: path.string, encoding: .utf8)
        }
        print(text.split(whereSeparator: \.isWhitespace).count, argument)
    }
}
