internal import TOMLKit

/// What is wrong with a manifest, as the end of a sentence.
struct ManifestProblem: Error, Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// One table of a manifest. Every key that is asked for counts as known; what is left over is a spelling mistake, and
/// an error.
struct ManifestReader: ~Copyable {
    private let table: TOMLTable
    /// Where the table stands, for messages: empty, or ` in [permissions]`.
    private let place: String
    private var known: [String] = []

    private init(table: TOMLTable, place: String) {
        self.table = table
        self.place = place
    }

    init(text: String) throws(ManifestProblem) {
        // The parser takes a C string, and would silently stop there.
        guard !text.utf8.contains(0) else { throw ManifestProblem("it contains a NUL byte") }
        if let problem = ManifestSyntax.problem(in: text) {
            throw ManifestProblem("line \(problem.line) is not TOML: \(problem.text)")
        }
        do {
            self.init(table: try TOMLTable(string: text), place: "")
        } catch let error as TOMLParseError {
            throw ManifestProblem("line \(error.source.begin.line) is not TOML: \(error.description)")
        } catch {
            throw ManifestProblem("it is not TOML: \(error)")
        }
    }

    mutating func string(_ key: String) throws(ManifestProblem) -> String? {
        guard let value = value(key) else { return nil }
        guard let string = value.string else { throw wrongType(key, value, "a string in quotes") }
        return string
    }

    mutating func requiredString(_ key: String) throws(ManifestProblem) -> String {
        guard let string = try string(key) else { throw ManifestProblem("the key “\(key)” is missing\(place)") }
        guard !string.isEmpty else { throw ManifestProblem("“\(key)”\(place) is empty") }
        return string
    }

    mutating func bool(_ key: String) throws(ManifestProblem) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let bool = value.bool else { throw wrongType(key, value, "true or false") }
        return bool
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(ManifestProblem) -> Int? {
        guard let value = value(key) else { return nil }
        guard let integer = value.int, range.contains(integer) else {
            throw wrongType(key, value, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    mutating func strings(_ key: String) throws(ManifestProblem) -> [String]? {
        try values(key, "a list of strings") { $0.string }
    }

    mutating func integers(_ key: String, in range: ClosedRange<Int>) throws(ManifestProblem) -> [Int]? {
        try values(key, "a list of numbers from \(range.lowerBound) to \(range.upperBound)") { value in
            value.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A list whose entries are numbers or strings, all given as text.
    mutating func texts(_ key: String) throws(ManifestProblem) -> [String]? {
        try values(key, "a list of numbers and strings") { $0.string ?? $0.int.map { String($0) } }
    }

    /// A scalar that may have one of several types.
    enum Scalar: Hashable {
        case string(String)
        case integer(Int)
        case bool(Bool)
    }

    mutating func scalar(_ key: String) throws(ManifestProblem) -> Scalar? {
        guard let value = value(key) else { return nil }
        if let string = value.string { return .string(string) }
        if let integer = value.int { return .integer(integer) }
        if let bool = value.bool { return .bool(bool) }
        throw wrongType(key, value, "a string, a number, or true or false")
    }

    mutating func table<Result>(
        _ key: String, read: (inout ManifestReader) throws(ManifestProblem) -> Result
    ) throws(ManifestProblem) -> Result? {
        guard let value = value(key) else { return nil }
        guard let table = value.table else { throw wrongType(key, value, "a table, written [\(key)]") }
        var reader = ManifestReader(table: table, place: " in [\(key)]")
        let result = try read(&reader)
        try reader.refuseUnknownKeys()
        return result
    }

    mutating func tables<Result>(
        _ key: String, read: (inout ManifestReader) throws(ManifestProblem) -> Result
    ) throws(ManifestProblem) -> [Result]? {
        guard let value = value(key) else { return nil }
        guard let array = value.array else { throw wrongType(key, value, "a list of tables, written [[\(key)]]") }
        var results: [Result] = []
        for (index, entry) in array.enumerated() {
            guard let table = entry.table else { throw wrongType(key, value, "a list of tables, written [[\(key)]]") }
            var reader = ManifestReader(table: table, place: " in [[\(key)]] number \(index + 1)")
            results.append(try read(&reader))
            try reader.refuseUnknownKeys()
        }
        return results
    }

    /// Call it last: what was not asked for until now is not known.
    func refuseUnknownKeys() throws(ManifestProblem) {
        for key in table.keys.sorted() where !known.contains(key) {
            let near = known.min { distance(key, $0) < distance(key, $1) }
            if let near, distance(key, near) <= 2 {
                throw ManifestProblem("the key “\(key)”\(place) is not known; did you mean “\(near)”?")
            }
            throw ManifestProblem("the key “\(key)”\(place) is not known")
        }
    }

    private mutating func values<Element>(
        _ key: String, _ wanted: String, _ convert: (any TOMLValueConvertible) -> Element?
    ) throws(ManifestProblem) -> [Element]? {
        guard let value = value(key) else { return nil }
        guard let array = value.array else { throw wrongType(key, value, wanted) }
        var elements: [Element] = []
        for entry in array {
            guard let element = convert(entry) else { throw wrongType(key, value, wanted) }
            elements.append(element)
        }
        return elements
    }

    private mutating func value(_ key: String) -> (any TOMLValueConvertible)? {
        known.append(key)
        return table[key]
    }

    private func wrongType(_ key: String, _ value: any TOMLValueConvertible, _ wanted: String) -> ManifestProblem {
        ManifestProblem("“\(key)”\(place) must be \(wanted)")
    }

    /// The number of letters to insert, remove or replace to get from one word to the other.
    private func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var row = Array(0...other.count)
        for (i, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, counterpart) in other.enumerated() {
                let replaced = diagonal + (letter == counterpart ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[other.count]
    }
}
