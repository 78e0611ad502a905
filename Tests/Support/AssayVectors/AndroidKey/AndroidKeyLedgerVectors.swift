import AssayCore
import AssayTesting
import FoundationEssentials

/// Attestations whose verdict depends on a list of revoked keys or on the ledger.
extension AndroidKeyVectorMint {
    /// The status of each record's attestation key in the list.
    private static let listed:
        [(id: String, issuer: Int, form: AndroidStatusListBlueprint.SerialNumberForm, isRevoked: Bool)] = [
            ("revoked-hexadecimal", 0, .hexadecimal, true), ("revoked-decimal", 0, .decimal, true),
            ("suspended", 0, .hexadecimal, false),
        ]

    func statusList() throws(MintingError) -> String {
        var list = AndroidStatusListBlueprint()
        for (id, issuer, form, isRevoked) in Self.listed {
            let serialNumber = try attestation(id, .factory).issuers[issuer].fields.serialNumber
            list.add(
                serialNumber: serialNumber, form: form, status: isRevoked ? .revoked : .suspended,
                reason: isRevoked ? .keyCompromise : .softwareFlaw, expires: isRevoked ? nil : "2020-01-01")
        }
        let subject = try attestation("revoked-by-subject", .factory).issuers[0].name.attributes[0].text
        list.add(subject, status: .revoked, reason: .superseded)
        let ca3 = try attestation("revoked-intermediate", .remote).issuers[1].fields.serialNumber
        list.add(serialNumber: ca3, status: .revoked, reason: .caCompromise, comment: "an intermediate")
        // The serial number of every leaf.
        list.add("1", status: .revoked)
        return String(decoding: list.json, as: UTF8.self) + "\n"
    }

    var revocation: [VectorCase] {
        let one: [UInt8] = [1]
        return Self.listed.map { entry in
            attestation(entry.id, .reject("revocation"), .factory)
        } + [
            attestation("revoked-by-subject", .reject("revocation"), .factory),
            attestation("revoked-intermediate", .reject("revocation"), .remote),
            attestation("not-revoked", .accept, .factory),
            attestation("attestation-certificate-1", .reject("revocation"), .factory) {
                $0.issuers[0].fields.serialNumber = one
            },
        ]
    }

    private func record(
        _ name: String, _ blueprint: AndroidKeyAttestationBlueprint, _ failed: [String] = [], code: String? = nil,
        account: String? = nil
    ) throws(MintingError) -> EvidenceRecord {
        let expected = VectorOutcome(failed: failed).expectation("android-key.attestation")
        var record = try blueprint.mint().record(
            id: name, app: Self.app,
            expect: .init(
                outcome: expected.outcome, failed: expected.failed.map { .init(check: $0.check, code: code) }))
        record.account = account
        return record
    }

    func enrolment() throws(MintingError) -> [EvidenceRecord] {
        let first = try attestation("enrolment-first")
        let again = try AndroidKeyAttestationBlueprint(
            authority: authority, key: first.key, packageName: Self.packageName, certificateDigest: Self.digest,
            versionCode: Self.versionCode, challenge: challenge("enrolment-again"), issuedAt: time)
        return [
            try record("enrolment-first", first),
            try record("enrolment-of-the-same-attestation", first, ["enrolment"]),
            try record("enrolment-of-the-same-key", again, ["enrolment"]),
            try record("enrolment-of-another-key", attestation("enrolment-of-another-key", .factory)),
        ]
    }

    func ledgerChallenge() throws(MintingError) -> [EvidenceRecord] {
        let id = "challenge-never-issued"
        return [try record("attestation-\(id)", attestation(id), ["challenge"])]
    }

    /// For a policy with `account: required` and one key per account.
    func accountSequence() throws(MintingError) -> [EvidenceRecord] {
        let (first, second) = (try attestation("accounts"), try attestation("accounts-2"))
        return [
            try record("accounts-attested-by-nobody", first, ["account"]),
            try record("accounts-attested", first, account: "alice"),
            try record("accounts-second-key", second, ["enrolment"], account: "alice"),
            try record("accounts-key-of-bob", second, account: "bob"),
        ]
    }
}
