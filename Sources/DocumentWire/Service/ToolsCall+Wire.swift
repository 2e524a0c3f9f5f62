import DocumentModel
import SwiftProtobuf

extension ToolsCall {
    init(_ request: WireServiceServiceRequest) throws(DocumentError) {
        switch request.call {
        case .registerTool(let call):
            self = .register(try Checks.absolutePath(call.manifestPath, "The manifest's path"))
        case .listTools(let call): self = .describe(call.toolID.isEmpty ? nil : try ToolIdentifier(call.toolID))
        case .unregisterTool(let call): self = .unregister(try ToolIdentifier(call.toolID))
        case .openContainer(let call):
            self = .openContainer(call.container.isEmpty ? nil : try ContainerIdentifier(call.container))
        case .listContainers: self = .listContainers
        case .placeContainers(let call): self = .placeContainers(try place(call.location))
        case .removeContainerData(let call): self = .removeContainerData(try ContainerIdentifier(call.container))
        case .getKeyValues(let call):
            guard call.keys.count <= KeyValueLimits.mostKeys else {
                throw Checks.refusal("\(call.keys.count) keys are asked for, and there cannot be so many: ask for all.")
            }
            for key in call.keys { try KeyValueLimits.check(key) }
            self = .getKeyValues(call.keys, after: call.after)
        case .setKeyValues(let call):
            self = .setKeyValues(try KeyValueChange(try values(call.values), removing: Set(call.removed)))
        default: throw Checks.refusal("This is no call about tools.")
        }
    }

    var wire: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .register(let path): .registerTool(.with { $0.manifestPath = path })
        case .describe(let id): .listTools(.with { $0.toolID = id?.rawValue ?? "" })
        case .unregister(let id): .unregisterTool(.with { $0.toolID = id.rawValue })
        case .openContainer(let container): .openContainer(.with { $0.container = container?.rawValue ?? "" })
        case .listContainers: .listContainers(WireServiceListContainers())
        case .placeContainers(let place): .placeContainers(.with { $0.location = place?.description ?? "" })
        case .removeContainerData(let container):
            .removeContainerData(.with { $0.container = container.rawValue })
        case .getKeyValues(let keys, let after):
            .getKeyValues(
                .with {
                    $0.keys = keys
                    $0.after = after
                }
            )
        case .setKeyValues(let change):
            .setKeyValues(
                .with {
                    $0.values = pairs(change.values)
                    $0.removed = change.removed.sorted()
                }
            )
        }
    }
}

extension ToolsReply {
    init(_ answer: WireServiceListToolsAnswer) throws(DocumentError) {
        self = .tools(try mapped(answer.tools, ToolDescription.init))
    }

    init(_ answer: WireServiceOpenContainerAnswer) throws(DocumentError) {
        self = .openContainer(try place(answer.location))
    }

    init(_ answer: WireServiceListContainersAnswer) throws(DocumentError) {
        self = .containers(try mapped(answer.containers, ContainerDescription.init), place: try place(answer.place))
    }

    init(_ answer: WireServiceKeyValuesAnswer) throws(DocumentError) {
        self = .keyValues(try values(answer.values), revision: answer.revision)
    }

    var wire: WireServiceServiceAnswer.OneOf_Answer {
        switch self {
        case .tools(let tools): .listTools(.with { $0.tools = tools.map(WireServiceTool.init) })
        case .openContainer(let location): .openContainer(.with { $0.location = location?.description ?? "" })
        case .containers(let containers, let place):
            .listContainers(
                .with {
                    $0.containers = containers.map(WireServiceContainer.init)
                    $0.place = place?.description ?? ""
                }
            )
        case .keyValues(let values, let revision):
            .keyValues(
                .with {
                    $0.values = pairs(values)
                    $0.revision = revision
                }
            )
        }
    }
}

extension ToolDescription {
    fileprivate init(_ wire: WireServiceTool) throws(DocumentError) {
        var domains: [DomainName: Entitlements.DomainUse] = [:]
        for name in wire.readDomains { domains[try DomainName(name)] = .reading }
        for name in wire.domains { domains[try DomainName(name)] = .writing }
        self.init(
            id: try ToolIdentifier(wire.id), name: wire.name,
            executable: try Checks.absolutePath(wire.executable, "A tool's program"),
            entitlements: try Entitlements(
                containers: try mapped(wire.containers) { text throws(DocumentError) in try ContainerPattern(text) },
                keyValueIdentifier: wire.keyValue.isEmpty ? nil : try ContainerIdentifier(wire.keyValue),
                domains: domains),
            publicContainers: try mapped(wire.publicContainers, PublicContainer.init), isConfined: wire.confined)
    }
}

extension WireServiceTool {
    fileprivate init(_ tool: ToolDescription) {
        self.init()
        id = tool.id.rawValue
        name = tool.name
        executable = tool.executable
        containers = tool.entitlements.containers.map(\.description)
        keyValue = tool.entitlements.keyValueIdentifier?.rawValue ?? ""
        let named = tool.entitlements.domains.sorted { $0.key < $1.key }
        domains = named.filter { $0.value == .writing }.map(\.key.rawValue)
        readDomains = named.filter { $0.value == .reading }.map(\.key.rawValue)
        publicContainers = tool.publicContainers.map(WireServicePublicContainer.init)
        confined = tool.isConfined
    }
}

extension PublicContainer {
    fileprivate init(_ wire: WireServicePublicContainer) throws(DocumentError) {
        let levels: FolderLevels
        switch wire.folders {
        case .noFolders: levels = .none
        case .oneLevel: levels = .one
        case .anyLevel: levels = .any
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.folders.rawValue) is not a depth of folders.")
        }
        self.init(identifier: try ContainerIdentifier(wire.container), name: wire.name, folderLevels: levels)
    }
}

extension WireServicePublicContainer {
    fileprivate init(_ container: PublicContainer) {
        self.init()
        self.container = container.identifier.rawValue
        name = container.name
        folders =
            switch container.folderLevels {
            case .none: .noFolders
            case .one: .oneLevel
            case .any: .anyLevel
            }
    }
}

extension ContainerDescription {
    fileprivate init(_ wire: WireServiceContainer) throws(DocumentError) {
        self.init(
            identifier: try ContainerIdentifier(wire.container), name: wire.name, location: try Location(wire.location),
            isPublic: wire.isPublic, isEntitled: wire.entitled)
    }
}

extension WireServiceContainer {
    fileprivate init(_ description: ContainerDescription) {
        self.init()
        container = description.identifier.rawValue
        name = description.name
        location = description.location.description
        isPublic = description.isPublic
        entitled = description.isEntitled
    }
}

private func values(_ wire: [WireServiceKeyValue]) throws(DocumentError) -> [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    for pair in wire {
        try KeyValueLimits.check(pair.key)
        guard values.updateValue(Array(pair.value), forKey: pair.key) == nil else {
            throw Checks.refusal("The key “\(ItemName.printable(pair.key))” has two values: say one of them.")
        }
    }
    return values
}

private func pairs(_ values: [String: [UInt8]]) -> [WireServiceKeyValue] {
    values.sorted { $0.key < $1.key }.map { key, value in
        .with {
            $0.key = key
            $0.value = collected(value)
        }
    }
}

/// Nil for none.
private func place(_ text: String) throws(DocumentError) -> Location? {
    text.isEmpty ? nil : try Location(text)
}
