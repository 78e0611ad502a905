import Assay
import AssayCore
import AssayInspection

/// Evidence inside of what a client or a database put around it: how it is wrapped, for a message. Nothing is unwrapped for a verdict.
struct WrappedEvidence {
    /// The wrappings in words, the outermost first.
    private let wrappings: [String]
    private let format: String
    /// Whether there is more than one such blob.
    private let isAmbiguous: Bool

    /// Looks for evidence of a kind in a file; nil if there is none, or none but what was read already.
    ///
    /// - Parameter read: the bytes that were judged.
    init?(_ file: [UInt8], of kind: EvidenceKind, butNot read: [UInt8]) {
        let inspector = EngineRegistry.current.inspector
        let layer = inspector.inspect(file, name: "")
        var found: [(wrappings: [String], layer: InspectionLayer)] = []
        func visit(_ layer: InspectionLayer, _ wrappings: [String]) {
            if inspector.kind(of: layer) == kind {
                // Blobs inside of evidence are parts of it.
                if !wrappings.isEmpty, layer.bytes != read { found.append((wrappings, layer)) }
                return
            }
            for inner in layer.nested { visit(inner, wrappings + [Self.wrapping(layer, around: inner)]) }
        }
        visit(layer, [])
        guard let first = found.first else { return nil }
        (wrappings, format) = (first.wrappings, first.layer.format ?? kind.name)
        isAmbiguous = found.contains { $0.layer.bytes != first.layer.bytes }
    }

    var sentence: String {
        "it is \(wrappings.joined())\(Self.withArticle(format)): give the bytes, or base64 of them, and nothing around it"
            + (isAmbiguous ? "; there is more than one" : "")
    }

    /// The name of a format behind its article. Names of substances have none.
    private static func withArticle(_ name: String) -> String {
        let isSubstance = ["text", "CBOR", "PEM", "DER", "compressed", "encoded", "unknown"].contains {
            name.hasPrefix($0)
        }
        return isSubstance ? name : "AEHaeiou".contains(name.prefix(1)) ? "an \(name)" : "a \(name)"
    }

    private static func wrapping(_ layer: InspectionLayer, around inner: InspectionLayer) -> String {
        if layer.format == Base64Format.name { return "\(Base64Format.form(of: layer.bytes)) of " }
        let encoding = inner.encoding.map { "\($0) of " } ?? ""
        return "\(Self.withArticle(layer.format ?? "unknown bytes")), in which \(inner.name) is \(encoding)"
    }
}
