/// A validated certificate path, created only by ``CertificatePathValidator``. A class, because threads share it.
package final class ValidatedPath: Sendable {
    package let leaf: Certificate
    /// The certificates above the leaf, the trust anchor last. Never empty.
    let issuers: [Certificate]
    /// The trust anchor.
    package let anchor: Certificate

    /// The whole path: the leaf first, the trust anchor last.
    package var chain: [Certificate] { [leaf] + issuers }

    init(leaf: Certificate, issuers: [Certificate], anchor: Certificate) {
        (self.leaf, self.issuers, self.anchor) = (leaf, issuers, anchor)
    }
}
