import AndroidKey
import AppAttest
package import AssayCore

extension Ledger {
    /// The enrolled key with an identifier, of whichever engine has one: both are SHA-256 of a public key, in different encodings.
    package func enrolledKey(withID bytes: [UInt8]) async throws(LedgerOutage) -> EnrolledKey? {
        for identifier in [KeyIdentifier.appAttest(bytes), .androidKey(bytes)] {
            if let key = try await enrolledKey(identifier) { return key }
        }
        return nil
    }
}
