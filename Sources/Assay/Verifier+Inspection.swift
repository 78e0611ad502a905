package import AssayInspection

extension Verifier {
    /// Says what blobs are, and decodes them as far as they go: the evidence of every engine, and what it comes in.
    ///
    ///     let layer = Verifier.inspector.inspect(bytes, name: "attestation")
    ///
    /// Nothing is verified, and no key is needed.
    package static let inspector = EngineRegistry.standard.inspector
}
