// Whoever imports the facade speaks the vocabulary of its parts.
@_exported public import AppAttest
@_exported public import Approov
@_exported public import AssayCore
@_exported public import PlayIntegrity
