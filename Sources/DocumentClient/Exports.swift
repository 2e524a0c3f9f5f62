// A host tool names documents by `Location` and gets `ItemStatus`: whoever imports this module needs them too.
@_exported public import DocumentModel
