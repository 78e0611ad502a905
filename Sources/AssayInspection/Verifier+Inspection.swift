package import Assay

extension Verifier {
    /// Identifies and decodes blobs: the evidence of every engine, and its containers. Verifies nothing; needs no key.
    ///
    ///     let layer = Verifier.inspector.inspect(bytes, name: "attestation")
    package static let inspector = EngineRegistry.standard.inspector
}
