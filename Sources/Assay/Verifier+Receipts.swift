package import AppAttest
package import AssayCore
package import FoundationEssentials

/// Receipts that are kept and exchanged at Apple's server.
extension Verifier {
    /// The keys of the policy and the key stores.
    package var keyStore: any KeyStore { keys }

    /// Whether the policy keeps the receipts of an app, and how; nil if it does not.
    package func keepingReceipts(of app: String) -> AppAttestConfiguration.ReceiptKeeping? {
        engines.appAttest.keeping(ofApp: app)
    }

    /// Verifies the receipt of an accepted attestation, to keep it; nil if the policy keeps none.
    package func receipt(_ bytes: [UInt8], of key: EnrolledKey) throws(ReceiptRefusal) -> RefreshableReceipt? {
        try engines.appAttest.receipt(bytes, of: key)
    }

    /// Verifies a receipt that Apple's server issued in exchange for a stored one.
    package func refreshedReceipt(
        _ bytes: [UInt8], of key: EnrolledKey, replacing old: RefreshableReceipt, at now: Date
    ) throws(ReceiptRefusal) -> RefreshableReceipt {
        try engines.appAttest.refreshedReceipt(bytes, of: key, replacing: old, at: now)
    }
}
