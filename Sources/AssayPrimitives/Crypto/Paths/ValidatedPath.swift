/// Certificates whose path was validated. Only ``CertificatePathValidator`` makes one.
///
/// A class, since a remembered path is handed out to many threads at once.
package final class ValidatedPath: Sendable {
    /// The certificate that was asked about.
    package let leaf: Certificate
    /// The certificates above the leaf, the trust anchor last. Never empty.
    let issuers: [Certificate]
    /// The trust anchor.
    package let anchor: Certificate

    /// The whole path: the leaf first, the trust anchor last.
    package var chain: [Certificate] { [leaf] + issuers }

    init(leaf: Certificate, issuers: [Certificate], anchor: Certificate) {
        self.leaf = leaf
        self.issuers = issuers
        self.anchor = anchor
    }
}
