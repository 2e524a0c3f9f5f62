// Whatever is left out of a file keeps its default; what is misspelt is an error of the decoder, which is strict.

extension ConformanceConfiguration: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case identifier, settings, data, limits, disabled, hooks, lanes
        case expectedFailures = "expected-failures"
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.checkedContainer(CodingKeys.self)
        identifier = try values.decodeIfPresent(String.self, forKey: .identifier)
        settings = try values.decodeIfPresent([String: String].self, forKey: .settings) ?? [:]
        data = try values.decodeIfPresent(DataSet.self, forKey: .data) ?? DataSet()
        limits = try values.decodeIfPresent(Limits.self, forKey: .limits) ?? Limits()
        disabled = try values.decodeIfPresent([String].self, forKey: .disabled) ?? []
        expectedFailures = try values.decodeIfPresent(String.self, forKey: .expectedFailures)
        hooks = try values.decodeIfPresent(Hooks.self, forKey: .hooks) ?? Hooks()
        lanes = try values.decodeIfPresent(Int.self, forKey: .lanes) ?? 1
        guard 1...16 ~= lanes else {
            throw DecodingError.dataCorruptedError(
                forKey: .lanes, in: values, debugDescription: "“lanes” must be from 1 to 16")
        }
    }
}

extension ConformanceConfiguration.DataSet: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case documents, folders, container
        case emptyFolders = "empty-folders"
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.checkedContainer(CodingKeys.self)
        documents = try values.decodeIfPresent([Document].self, forKey: .documents) ?? []
        folders = try values.decodeIfPresent([String].self, forKey: .folders) ?? []
        emptyFolders = try values.decodeIfPresent([String].self, forKey: .emptyFolders) ?? []
        container = try values.decodeIfPresent(String.self, forKey: .container) ?? ""
    }
}

extension ConformanceConfiguration.DataSet.Document: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case path, size, contents
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.checkedContainer(CodingKeys.self)
        path = try values.decode(String.self, forKey: .path)
        size = try values.decodeIfPresent(Int64.self, forKey: .size)
        contents = try values.decodeIfPresent(String.self, forKey: .contents)
    }
}

extension ConformanceConfiguration.Limits: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case start, request, factor
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.checkedContainer(CodingKeys.self)
        func seconds(_ key: CodingKeys, _ standard: Double) throws -> Double {
            // TOML tells whole numbers from others.
            let number = try? values.decodeIfPresent(Double.self, forKey: key)
            let value = try number ?? values.decodeIfPresent(Int.self, forKey: key).map(Double.init) ?? standard
            guard value > 0, value <= 3600 else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: values, debugDescription: "“\(key.rawValue)” must be more than 0 and at most 3600")
            }
            return value
        }
        start = try seconds(.start, 10)
        request = try seconds(.request, 10)
        factor = try seconds(.factor, 1)
    }
}

extension ConformanceConfiguration.Hooks: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case prepare, refuse, accept
        case cleanUp = "clean-up"
        case remoteAway = "remote-away"
        case remoteBack = "remote-back"
        case changeDocument = "change-document"
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.checkedContainer(CodingKeys.self)
        prepare = try values.decodeIfPresent([[String]].self, forKey: .prepare) ?? []
        cleanUp = try values.decodeIfPresent([[String]].self, forKey: .cleanUp) ?? []
        remoteAway = try values.decodeIfPresent([String].self, forKey: .remoteAway)
        remoteBack = try values.decodeIfPresent([String].self, forKey: .remoteBack)
        changeDocument = try values.decodeIfPresent([String].self, forKey: .changeDocument)
        refuse = try values.decodeIfPresent([String].self, forKey: .refuse)
        accept = try values.decodeIfPresent([String].self, forKey: .accept)
    }
}

/// A key of any name.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

extension Decoder {
    /// A keyed container in which there are no keys but the known ones.
    func checkedContainer<Key: CodingKey & CaseIterable>(
        _ type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let known = Key.allCases.map(\.stringValue)
        let present = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        if let unknown = present.sorted().first(where: { !known.contains($0) }) {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath,
                    debugDescription: "the key “\(unknown)” is not known; there are \(known.joined(separator: ", "))"))
        }
        return try container(keyedBy: Key.self)
    }
}
