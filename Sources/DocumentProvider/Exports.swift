// A provider's source needs one import: the values of its calls, the files that it is handed, and its log come along.
@_exported public import DocumentModel
@_exported public import Logging
@_exported public import SystemPackage
