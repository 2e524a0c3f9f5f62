package import DocumentModel

/// What lists of tools look like.
package enum ToolListing {
    package static func text(_ tools: [ToolDescription]) -> String {
        if tools.isEmpty { return "No tool is registered: every program of yours may do what you may.\n" }
        var table = Table([
            Table.Column("IDENTIFIER"), Table.Column("NAME"), Table.Column("DOMAINS"), Table.Column("CONTAINERS"),
        ])
        for tool in tools {
            table.add(
                tool.id.rawValue, ErrorText.visible(tool.name), domains(of: tool) ?? "–", containers(of: tool) ?? "–")
        }
        return table.text()
    }

    /// What it may do, a line each.
    package static func details(_ tool: ToolDescription) -> String {
        var table = Table([Table.Column(""), Table.Column("")])
        table.add("Tool", "\(ErrorText.visible(tool.name)) (\(tool.id))")
        table.add("Program", ErrorText.visible(tool.executable))
        table.add("Domains", domains(of: tool) ?? "none")
        table.add("Containers", containers(of: tool) ?? "none")
        if let key = tool.entitlements.keyValueIdentifier { table.add("Settings", key.rawValue) }
        for container in tool.publicContainers {
            table.add("Public", "\(container.identifier), shown as “\(ErrorText.visible(container.name))”")
        }
        table.add("Single items", "those that it has bookmarks of")
        if tool.isConfined { table.add("Files", "open ones, no paths: it is confined") }
        return table.text(showsTitles: false)
    }

    private static func domains(of tool: ToolDescription) -> String? {
        let named = tool.entitlements.domains.sorted { $0.key < $1.key }
        return named.isEmpty
            ? nil : named.map { $0.value == .reading ? "\($0.key) (reading)" : $0.key.rawValue }.joined(separator: ", ")
    }

    private static func containers(of tool: ToolDescription) -> String? {
        let named = tool.entitlements.containers
        return named.isEmpty ? nil : named.map(\.description).joined(separator: ", ")
    }
}

/// What lists of containers look like.
package enum ContainerListing {
    package static func text(_ containers: [ContainerDescription]) -> String {
        if containers.isEmpty { return "There are no containers.\n" }
        var table = Table([
            Table.Column("IDENTIFIER"), Table.Column("NAME"), Table.Column("SEEN BY"), Table.Column("LOCATION"),
        ])
        for container in containers {
            table.add(
                container.identifier.rawValue, ErrorText.visible(container.name),
                container.isPublic ? "all tools" : "its tools", container.location.description)
        }
        return table.text()
    }
}

extension ToolDescription {
    package var json: JSON {
        .object([
            ("identifier", .string(id.rawValue)),
            ("name", .string(name)),
            ("executable", .string(executable)),
            (
                "domains",
                .object(
                    entitlements.domains.sorted { $0.key < $1.key }.map {
                        ($0.key.rawValue, JSON.string($0.value.rawValue))
                    })
            ),
            ("containers", .array(entitlements.containers.map { .string($0.description) })),
            ("keyValue", JSON(entitlements.keyValueIdentifier?.rawValue)),
            ("publicContainers", .array(publicContainers.map { .string($0.identifier.rawValue) })),
            ("confined", .boolean(isConfined)),
        ])
    }
}

extension ContainerDescription {
    package var json: JSON {
        .object([
            ("identifier", .string(identifier.rawValue)),
            ("name", .string(name)),
            ("location", .string(location.description)),
            ("public", .boolean(isPublic)),
        ])
    }
}
