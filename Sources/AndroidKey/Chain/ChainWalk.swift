import AssayCore
import FoundationEssentials

/// Verifies a chain name by name and signature by signature, up to a pinned key, as android/keyattestation does. RFC 5280 section 6
/// refuses genuine chains: attestation certificates of 2016 are no certification authorities by their own words, factory certificates
/// have expired and cannot be renewed, and leaves have extensions that cannot be read.
struct ChainWalk {
    let evidence: KeyAttestationEvidence
    let trust: AndroidKeyTrust
    let now: Date

    /// The chain, if all of it holds.
    func chain() throws(CheckFailure) -> AttestationChain {
        let chain = try signedIssuers()
        for (index, issuer) in chain.issuers.enumerated() { try require(issuer, at: index + 1, in: chain) }
        guard evidence.leaf.issuer.isByteEqual(to: chain.issuers[0].certificate.subject) else {
            throw CheckFailure(.nameDiffers, "certificate 0 names another issuer than the subject of certificate 1")
        }
        try requireSignature(of: evidence.leaf, by: chain.issuers[0].key, at: 0)
        return chain
    }

    // MARK: Signatures

    private func signedIssuers() throws(CheckFailure) -> AttestationChain {
        if let known = evidence.known, known.trust === trust, known.start == 1 {
            return AttestationChain(
                issuers: known.issuers.issuers, certificates: known.issuers.certificates,
                serials: known.issuers.serials, anchor: known.issuers.anchor, hasForeignRoot: false, knownFrom: 1)
        }
        var certificates = evidence.issuers
        let includesRoot = certificates.last.map(trust.pins) == true
        if includesRoot { certificates.removeLast() }
        guard let last = certificates.last else {
            throw CheckFailure(
                .chainTooShort,
                "expected a leaf, and at least the attestation certificate that issued it, below the root")
        }
        if let index = certificates.firstIndex(where: trust.pins) {
            throw CheckFailure(.rootRepeated, "certificate \(index + 1) has the key of a root and is not the last one")
        }
        let known = evidence.known.flatMap { $0.trust === trust ? $0.issuers : nil }
        let issuers =
            certificates.dropLast(known?.issuers.count ?? 0).map(AttestationIssuer.init) + (known?.issuers ?? [])
        let anchor: AndroidKeyTrust.Anchor
        if let known { anchor = known.anchor } else { anchor = try self.anchor(of: last, at: certificates.count) }
        for index in certificates.indices.dropLast(max(1, known?.issuers.count ?? 0)).reversed() {
            guard certificates[index].issuer.isByteEqual(to: certificates[index + 1].subject) else {
                throw CheckFailure(
                    .nameDiffers,
                    "certificate \(index + 1) names another issuer than the subject of certificate \(index + 2)")
            }
            try requireSignature(of: certificates[index], by: issuers[index + 1].key, at: index + 1)
        }
        // Roots of known issuers were examined before.
        let hasForeignRoot = known == nil && includesRoot && evidence.issuers.last.map(trust.isOwn) != true
        let serials = evidence.issuers.dropLast(hasForeignRoot ? 1 : 0).map(AndroidKeySubject.serial)
        return AttestationChain(
            issuers: issuers, certificates: evidence.issuers, serials: serials, anchor: anchor,
            hasForeignRoot: hasForeignRoot, knownFrom: known == nil ? nil : evidence.known?.start)
    }

    /// The anchor that signed the last certificate below the root.
    private func anchor(of last: Certificate, at index: Int) throws(CheckFailure) -> AndroidKeyTrust.Anchor {
        let named = trust.anchors.filter { $0.name.isByteEqual(to: last.issuer) }
        guard let first = named.first else { throw untrusted(last) }
        for anchor in named.dropFirst() where anchor.key.hasSigned(last) { return anchor }
        try requireSignature(of: last, by: first.key, at: index)
        return first
    }

    private func requireSignature(
        of certificate: Certificate, by key: IssuerKey?, at index: Int
    ) throws(CheckFailure) {
        guard let key else {
            throw CheckFailure(
                .forbiddenAlgorithm,
                "the key of certificate \(index + 1) is neither a point of P-256 or P-384 nor an RSA key from 2048 bits on"
            )
        }
        switch certificate.signatureAlgorithm {
        case .ecdsaSHA256, .ecdsaSHA384, .rsaSHA256: break
        case .ecdsaSHA512, .rsaSHA384, .rsaSHA512, .other:
            throw CheckFailure(
                .forbiddenAlgorithm,
                "certificate \(index) is signed with \(certificate.signatureAlgorithm); allowed are ECDSA with SHA-256 or "
                    + "SHA-384, and RSA with SHA-256")
        }
        guard key.hasSigned(certificate) else {
            throw CheckFailure(
                .badSignature, "the signature of certificate \(index) is not by the key of its issuer")
        }
    }

    private func untrusted(_ last: Certificate) -> CheckFailure {
        let digest = Digest.sha256((evidence.issuers.last ?? last).subjectPublicKeyInfo).hexadecimal
        if GoogleRoots.softwareKeyDigests.contains(digest) {
            return CheckFailure(
                .softwareRoot,
                "the chain leads to Android's root of attestations in software, whose private key is published")
        }
        let issuer = last.issuerDescription
        if isReversed {
            return CheckFailure(.untrusted, "the certificates are in reverse order: the leaf comes first")
        }
        if issuer.contains(GoogleRoots.unregisteredAuthority) {
            return CheckFailure(
                .untrusted, "the chain leads to \(issuer): an emulator, or a device that is not registered with Google")
        }
        return CheckFailure(.untrusted, "the last certificate is issued by \(issuer), which is no pinned root")
    }

    /// Whether the chain leads from an authority down to the attested key. Names only: nothing is trusted for it.
    private var isReversed: Bool {
        guard let last = evidence.issuers.last, let second = evidence.issuers.first else { return false }
        return last.extension(KeyDescription.oid) != nil && evidence.leaf.extension(KeyDescription.oid) == nil
            && second.issuer.isByteEqual(to: evidence.leaf.subject)
    }

    /// Keeps the issuers for later chains. Only for a chain that ``chain()`` returned and whose target was judged: otherwise anyone
    /// could fill the caches with public certificates, with those that an attested key issued, and with roots of other bytes.
    func remember(_ chain: AttestationChain) {
        guard !chain.hasAttestedIssuer, !chain.hasForeignRoot else { return }
        for start in [1, 2] where start <= chain.issuers.count && start < chain.knownFrom ?? .max {
            trust.remember(VerifiedIssuers(chain, from: start), from: start)
        }
    }

    // MARK: Rules

    /// The rules for an issuer. `index` is its place in the chain, from 1 on.
    private func require(_ issuer: AttestationIssuer, at index: Int, in chain: AttestationChain) throws(CheckFailure) {
        let certificate = issuer.certificate
        if let oid = issuer.unknownCriticalExtension {
            throw CheckFailure(.unknownCriticalExtension, "certificate \(index) has the critical extension \(oid)")
        }
        // Numbers, not dates: a Date that is NaN compares as later than any other.
        let seconds = now.timeIntervalSince1970
        guard seconds >= certificate.notBefore.timeIntervalSince1970 else {
            let time = RFC3339.format(certificate.notBefore)
            throw CheckFailure(.notYetValid, "certificate \(index) is valid from \(time) on")
        }
        // Factory certificates expire, and the devices cannot get new ones (android/keyattestation).
        if chain.provisioning == .remote {
            guard seconds < certificate.notAfter.timeIntervalSince1970 + 1 else {
                let time = RFC3339.format(certificate.notAfter)
                throw CheckFailure(.expired, "certificate \(index), of remote provisioning, was valid until \(time)")
            }
        }
        // Certificate 1 of factory chains says in many cases that it is no authority; see the check target. That check also
        // refuses every chain in which an attested key issues, and names the attack.
        guard index > 1, !chain.hasAttestedIssuer else { return }
        guard issuer.isAuthority else {
            throw CheckFailure(
                .notAnAuthority, "certificate \(index) is no certification authority, and issued another")
        }
        if let limit = issuer.basicConstraints?.pathLength, index - 1 > limit {
            throw CheckFailure(
                .pathLengthExceeded, "certificate \(index) allows \(limit) issuers below it, found \(index - 1)")
        }
    }
}

/// Issuers that an earlier chain has verified.
struct KnownIssuers: Sendable {
    /// Who verified them.
    let trust: AndroidKeyTrust
    /// The place of the first of them in the chain, 1 or 2.
    let start: Int
    let issuers: VerifiedIssuers
}

extension CheckCode {
    fileprivate static let chainTooShort = CheckCode(
        "chain-too-short", "The chain has no attestation certificate between the leaf and the root: send all of it.",
        remedy: .retry)
    fileprivate static let rootRepeated = CheckCode(
        "root-repeated", "A certificate in the middle of the chain has the key of a root: the chain was reassembled.")
    fileprivate static let untrusted = CheckCode(
        "untrusted",
        """
        The chain does not lead to one of Google's keys: it is forged, of a device without certified hardware, or of a test \
        authority without `testRoots`.
        """)
    fileprivate static let softwareRoot = CheckCode(
        "software-root",
        "The chain leads to Android's software root, whose private key is published: an emulator, or a forgery.")
    fileprivate static let nameDiffers = CheckCode(
        "name-differs",
        "A certificate names another issuer than the one that follows: the chain is out of order, or reassembled.")
    fileprivate static let badSignature = CheckCode(
        "bad-signature",
        "A certificate is not signed with the key of the next one, or was changed afterwards: a forgery.")
    fileprivate static let forbiddenAlgorithm = CheckCode(
        "forbidden-algorithm", "An issuer uses SHA-1, a short RSA key or another algorithm that no genuine one uses.")
    fileprivate static let unknownCriticalExtension = CheckCode(
        "unknown-critical-extension", "An issuer has a critical extension that Assay does not know.")
    fileprivate static let notYetValid = CheckCode(
        "not-yet-valid",
        "An issuer is not valid yet at the time of judgement: check the server's clock and `--at`.",
        remedy: .retry)
    fileprivate static let expired = CheckCode(
        "expired",
        """
        A certificate of remote provisioning has expired at the time of judgement: the app attests a new key; captured \
        evidence is judged at the time of its receipt (`--as-captured`).
        """, remedy: .newAttestation)
    fileprivate static let notAnAuthority = CheckCode(
        "not-a-ca", "A certificate that is no certification authority issued another one: an attempt to extend a chain."
    )
    fileprivate static let pathLengthExceeded = CheckCode(
        "path-length-exceeded",
        "There are more issuers below a certificate than it allows: an attempt to extend a genuine chain.")

    /// The codes of ``ChainWalk``.
    static let ofChain = [
        chainTooShort, rootRepeated, untrusted, softwareRoot, nameDiffers, badSignature, forbiddenAlgorithm,
        unknownCriticalExtension, notYetValid, expired, notAnAuthority, pathLengthExceeded,
    ]
}
