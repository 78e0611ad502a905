// Whoever imports the facade speaks the vocabulary of its parts.
@_exported public import AppAttest
@_exported public import Approov
@_exported public import AssayCore
@_exported public import PlayIntegrity

// What inspections are made of.
@_exported public import struct AssayInspection.Annotation
@_exported public import struct AssayInspection.InspectionLayer
@_exported public import struct AssayInspection.Inspector
@_exported public import struct AssayInspection.Recognition
// What the public parts of the engines' configurations, subjects and keys are made of.
@_exported public import struct AssayPrimitives.Certificate
@_exported public import struct AssayPrimitives.JSONPointer
@_exported public import enum AssayPrimitives.PEM
@_exported public import class AssayPrimitives.RSAPrivateKey
