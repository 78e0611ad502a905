import AndroidKey
import AppAttest
package import AssayCore

extension Ledger {
    /// The enrolled key with an identifier, from any engine. App Attest and Android key IDs are both SHA-256 of a
    /// public key, in different encodings.
    package func enrolledKey(withID bytes: [UInt8]) async throws(LedgerOutage) -> EnrolledKey? {
        for identifier in [KeyIdentifier.appAttest(bytes), .androidKey(bytes)] {
            if let key = try await enrolledKey(identifier) { return key }
        }
        return nil
    }
}
