package import AssayCore

extension Ledger {
    /// The enrolled key with an identifier, from any engine. Key IDs are SHA-256 of a public key, in different encodings.
    package func enrolledKey(withID bytes: [UInt8]) async throws(LedgerOutage) -> EnrolledKey? {
        for engine in EngineRegistry.standard.keyEngines {
            if let key = try await enrolledKey(KeyIdentifier(engine: engine, value: bytes)) { return key }
        }
        return nil
    }
}
