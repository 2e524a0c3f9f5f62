@testable import DocumentWire

extension WireProviderCreate {
    static func with(name: String) -> WireProviderCreate {
        var create = WireProviderCreate()
        create.parentID = "/"
        create.name = name
        create.kind = .document
        create.contentsPath = "/tmp/contents"
        create.operation = "operation"
        return create
    }
}
