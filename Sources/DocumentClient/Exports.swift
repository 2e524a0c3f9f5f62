// A host tool names documents by `Location`, gets `ItemStatus`, and opens a `FilePath`: whoever imports this module
// needs them too.
@_exported public import DocumentModel
@_exported public import SystemPackage
