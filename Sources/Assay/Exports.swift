// `import Assay` also gives access to the types of these modules.
@_exported public import AndroidKey
@_exported public import AppAttest
@_exported public import Approov
@_exported public import AssayCore
@_exported public import AssayPrimitives
@_exported public import AssayTokens
@_exported public import PlayIntegrity
