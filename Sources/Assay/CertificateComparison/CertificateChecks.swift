public import AssayCore
import AssayPrimitives
import FoundationEssentials

extension CheckID {
    /// The record names a host and has the certificate that the app saw.
    public static let mitmCertificateDecode = CheckID("mitm.certificate.decode")
    /// The carried evidence covers challenge, host and certificate.
    public static let mitmCertificateBinding = CheckID("mitm.certificate.binding")
    /// The policy names the host.
    public static let mitmCertificateHost = CheckID("mitm.certificate.host")
    /// The app saw a leaf that the host presents.
    public static let mitmCertificateLeaf = CheckID("mitm.certificate.leaf")
    /// The app saw a public key that is pinned.
    public static let mitmCertificatePin = CheckID("mitm.certificate.pin")
    /// All addresses of the host present one certificate.
    public static let mitmCertificateAddresses = CheckID("mitm.certificate.addresses")
}

/// The comparison of one certificate: its rules and catalogue entries.
struct CertificateCheck {
    let seen: DecodedCertificate
    /// Nil for a host that the policy does not name.
    let rule: HostRule?
    /// What the addresses of the host present; nil if the rule does not say to fetch it.
    var presented: PresentedLeaves?

    /// The assessment of the carried evidence, whose acceptance consumes the challenge itself.
    func binding(_ carried: Assessment) throws(CheckFailure) -> Assessment {
        let derived = seen.derived
        if carried.voucher != .client {
            if let bound = carried.consuming(seen.challenge, insteadOf: derived) { return bound }
            if let bound = carried.covering(seen.challengeText, insteadOf: Base64.encode(derived, .url)) {
                return bound
            }
        }
        let kind = carried.kind
        throw CheckFailure(
            .certificateNotBound,
            "the \(kind) does not cover this certificate: its challenge must be SHA-256 of assay-certificate, the challenge, the "
                + "host and base64url of the leaf's SHA-256, each followed by a line feed, and the policy must say challenge: ledger, "
                + "except for signed requests")
    }

    func host() throws(CheckFailure) -> PolicyAnswer {
        let host = seen.host
        guard let rule else {
            throw CheckFailure(
                .unknownHost, "the policy has no certificates.hosts.\(host): add it, with fetch, leaves or pins")
        }
        guard rule.skip else { return .passed }
        return .annotated(Finding(.hostSkipped, "nothing was compared for \(host), as the policy says skip: yes"))
    }

    func leaf() throws(CheckFailure) -> PolicyAnswer {
        guard let rule, !rule.skip, rule.compare == .leaf else { return .notRequired }
        return try answer(
            isFound: rule.leaves.contains(seen.digest)
                || presented?.leaves.contains { $0.digest == seen.digest } ?? false,
            .leafMismatch, "leaf", among: rule.leaves + (presented?.leaves.map(\.digest) ?? []))
    }

    func pin(at now: Date) throws(CheckFailure) -> PolicyAnswer {
        guard let rule, !rule.skip, rule.compare == .pin else { return .notRequired }
        let pin = seen.pin
        let isFound =
            rule.pins.contains(pin) || presented?.leaves.contains { $0.pin == pin } ?? false
            || Self.hasIssuer(pinnedBy: rule.pins, seen, at: now)
        return try answer(
            isFound: isFound, .pinMismatch, "public key", among: rule.pins + (presented?.leaves.map(\.pin) ?? []))
    }

    /// The most digests in a sentence.
    private static let shownDigests = 4

    private func answer(
        isFound: Bool, _ code: CheckCode, _ what: String, among expected: [[UInt8]]
    ) throws(CheckFailure) -> PolicyAnswer {
        guard isFound else {
            let seen = seen
            throw CheckFailure(
                code,
                "the app saw another \(what) at \(seen.host): \(seen.description), key \(seen.pin.hexadecimal); expected "
                    + expected.prefix(Self.shownDigests).map(\.hexadecimal).joined(separator: " or ")
                    + (expected.count > Self.shownDigests ? " or \(expected.count - Self.shownDigests) more" : ""))
        }
        return .passed
    }

    func addresses() throws(CheckFailure) -> PolicyAnswer {
        guard let count = presented?.leaves.count else { return .notRequired }
        let host = seen.host
        guard count == 1 else {
            throw CheckFailure(
                .addressesDiffer,
                "the addresses of \(host) present \(count) different certificates, and all of them count")
        }
        return .passed
    }

    /// Whether the leaf names the host, and has a valid path to a certificate of its chain whose key is pinned. An attacker can append a
    /// pinned certificate to a chain, so only a signature by its key counts. A public issuer also gives the attacker a leaf for a host of
    /// the attacker's own, so the leaf must name this host.
    private static func hasIssuer(pinnedBy pins: [[UInt8]], _ seen: DecodedCertificate, at now: Date) -> Bool {
        guard let leaf = try? Certificate(der: seen.leaf.der), leaf.isFor(host: seen.host) else { return false }
        let issuers = seen.issuers.compactMap { try? Certificate(der: $0[...]) }
        let pinned = issuers.filter { pins.contains(Digest.sha256($0.subjectPublicKeyInfo)) }
        guard !pinned.isEmpty else { return false }
        let validator = CertificatePathValidator(anchors: pinned, algorithms: .ecdsaAndRSA, cacheCapacity: 0)
        if case .success = validator.validate(leaf, intermediates: issuers, at: now) { return true }
        return false
    }

    // MARK: Catalogue

    private static let source = "Approov, MITM detection; Assay, certificates of hosts"

    static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            .mitmCertificateDecode, .gate,
            proves: "The record names a host and a challenge, and has the certificate that the app saw.",
            stops: "An app that reports no certificate, as if nothing were to compare.",
            lookAt:
                "The field that the detail names; whether the app reads the certificate of the connection before it makes its evidence.",
            source: source, remedy: .retry, codes: CheckCode.ofDecoding),
        CheckDefinition(
            .mitmCertificateBinding, .gate,
            proves: "The carried evidence covers the challenge, the host and the certificate.",
            stops: "A proxy that replaces its certificate in the report by the genuine one.",
            lookAt:
                "The value over which the app makes its evidence; the host, byte for byte; `challenge: ledger` of the platform's section.",
            source: source, remedy: .newChallenge, codes: [.certificateNotBound]),
        CheckDefinition(
            .mitmCertificateHost, .gate, proves: "The policy says what the certificate of this host is compared with.",
            stops: "A report about a host that the attacker does not intercept, or that the policy does not name.",
            lookAt: "`certificates.hosts` of the app.", source: source, remedy: .contactSupport,
            codes: [.unknownHost, .hostSkipped]),
        CheckDefinition(
            .mitmCertificateLeaf, .policy(default: .enforce), mayBeOff: false,
            proves: "The app saw, byte for byte, a certificate that the host presents or the policy names.",
            stops: "A proxy between app and host with a certificate of its own, even one that the device trusts.",
            lookAt:
                "Subject and issuer in the detail: those of a proxy name it. A change of the certificate that is not in the policy or on all "
                + "addresses yet.",
            source: source, remedy: .retry, codes: [.leafMismatch]),
        CheckDefinition(
            .mitmCertificatePin, .policy(default: .enforce), mayBeOff: false,
            proves: "The leaf that the app saw, or an issuer in its valid path, has a pinned public key.",
            stops: "A proxy between app and host with a key of its own, even one that the device trusts.",
            lookAt: "Subject and issuer in the detail, and `pins`: with a new key, the pin changes too.",
            source: source + "; RFC 7469 section 2.4", remedy: .retry, codes: [.pinMismatch]),
        CheckDefinition(
            .mitmCertificateAddresses, .signal, proves: "All addresses of the host present one certificate.",
            stops: "Nothing: it shows a change of the certificate, or an address that the operator does not know.",
            lookAt: "The log of the service, which names the addresses, and the certificate of each.",
            source: source, remedy: .nothing, codes: [.addressesDiffer]),
    ]
}

extension CheckCode {
    fileprivate static let certificateNotBound = CheckCode(
        "certificate-not-bound",
        "The carried evidence covers another certificate, host or challenge, or none, or its challenge is not one of the ledger."
    )
    fileprivate static let unknownHost = CheckCode(
        "unknown-host", "`certificates.hosts` of the app does not name the host.")
    fileprivate static let hostSkipped = CheckCode(
        "host-skipped", "The policy says `skip: yes` for the host: nothing was compared.")
    fileprivate static let leafMismatch = CheckCode(
        "leaf-mismatch",
        "The app saw another certificate: the connection is intercepted, or the certificate has changed. The client tries once more."
    )
    fileprivate static let pinMismatch = CheckCode(
        "pin-mismatch",
        "The app saw another public key: the connection is intercepted, or the key has changed. The client tries once more."
    )
    fileprivate static let addressesDiffer = CheckCode(
        "addresses-differ", "The host's addresses present different certificates: during a change, all of them count.")
}
