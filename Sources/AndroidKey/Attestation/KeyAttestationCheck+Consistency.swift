public import AssayCore

extension CheckID {
    /// The attestation does not contradict itself.
    public static let androidKeyAttestationConsistency = CheckID("android-key.attestation.consistency")
}

extension KeyAttestationCheck {
    static let consistencyEntry = CheckDefinition(
        .androidKeyAttestationConsistency, .policy(default: .annotate),
        proves: """
            The attestation is of a version that Android documents, has what its version always has, and the certificate of the key \
            is none that issues others.
            """,
        stops:
            "Descriptions that no known keystore writes: those of forged or modified keystores, and of tools that imitate them.",
        lookAt: """
            The version in the detail. A new version of Android brings a new number, which this version of Assay does not know: look \
            whether many devices have it. Keystores of test builds may contradict themselves.
            """,
        source: "\(schema), attestationVersion and moduleHash; RFC 5280 section 4.2.1.9", remedy: .contactSupport,
        codes: [.versionUnknown, .moduleHashMissing, .moduleHashUnexpected, .leafMayIssue])

    /// The versions of Android's documentation: Keymaster 2 to 4.1, and KeyMint 1 to 5.
    private static let versions: [UInt64] = [1, 2, 3, 4, 100, 200, 300, 400, 500]
    /// The version from which on the operating system has the hash of its modules attested.
    private static let moduleHashVersion: UInt64 = 400
    /// The purpose of a key that attests other keys.
    private static let attestKey: UInt64 = 7

    /// Version, module hash and key usage agree with each other.
    func consistency(
        _ evidence: KeyAttestationEvidence, _ description: KeyDescription
    ) throws(CheckFailure) -> PolicyAnswer {
        let version = description.attestationVersion
        guard Self.versions.contains(version) else {
            throw CheckFailure(
                .versionUnknown,
                "attestation version \(version); documented are \(Self.versions.map { "\($0)" }.joined(separator: ", "))"
            )
        }
        let hasModuleHash =
            description.softwareEnforced.contains(AuthorizationTag.moduleHash)
            || description.hardwareEnforced.contains(AuthorizationTag.moduleHash)
        guard version < Self.moduleHashVersion || hasModuleHash else {
            throw CheckFailure(
                .moduleHashMissing,
                "attestation version \(version) without moduleHash, which the system has attested from "
                    + "version \(Self.moduleHashVersion) on")
        }
        guard version >= Self.moduleHashVersion || !hasModuleHash else {
            throw CheckFailure(
                .moduleHashUnexpected,
                "attestation version \(version) with moduleHash, which came with version \(Self.moduleHashVersion)")
        }
        try requireNoAuthority(evidence.leaf, description)
        return .passed
    }

    /// The certificate of the key issues no others by its own words. One of a key that attests others may say so.
    private func requireNoAuthority(
        _ leaf: Certificate, _ description: KeyDescription
    ) throws(CheckFailure) {
        let usage = leaf.extension(.keyUsage).flatMap { try? Certificate.KeyUsage($0.value) }
        guard
            usage?.contains(.keyCertSign) != true
                || description.hardwareEnforced.integers(AuthorizationTag.purpose)?.contains(Self.attestKey) == true
        else {
            throw CheckFailure(
                .leafMayIssue, "certificate 0 has the key usage keyCertSign, and its key no purpose attestKey")
        }
        let constraints = leaf.extension(.basicConstraints).flatMap { try? Certificate.BasicConstraints($0.value) }
        guard constraints?.isCA != true else {
            throw CheckFailure(.leafMayIssue, "certificate 0 is a certification authority by its basic constraints")
        }
    }
}

extension CheckCode {
    fileprivate static let versionUnknown = CheckCode(
        "version-unknown",
        "The attestation has a version that Android does not document, or that is newer than this version of Assay.")
    fileprivate static let moduleHashMissing = CheckCode(
        "module-hash-missing", "The attestation is of version 400 or later, and lacks the moduleHash of such versions.")
    fileprivate static let moduleHashUnexpected = CheckCode(
        "module-hash-unexpected", "The attestation has a moduleHash, and is of a version that came before it.")
    fileprivate static let leafMayIssue = CheckCode(
        "leaf-may-issue", "The certificate of the attested key says that it may issue others: no keystore writes this.",
        remedy: .nothing)
}
