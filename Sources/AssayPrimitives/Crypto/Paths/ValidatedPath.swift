/// Certificates whose path was validated. Only ``CertificatePathValidator`` makes one.
///
/// A class, since a remembered path is handed out to many threads at once.
public final class ValidatedPath: Sendable {
    /// The certificate that was asked about.
    public let leaf: Certificate
    /// The certificates above the leaf, the trust anchor last. Never empty.
    let issuers: [Certificate]
    /// The trust anchor.
    public let anchor: Certificate

    /// The whole path: the leaf first, the trust anchor last.
    public var chain: [Certificate] { [leaf] + issuers }

    init(leaf: Certificate, issuers: [Certificate], anchor: Certificate) {
        self.leaf = leaf
        self.issuers = issuers
        self.anchor = anchor
    }
}
