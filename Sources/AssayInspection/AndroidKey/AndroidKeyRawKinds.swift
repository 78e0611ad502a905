package import AndroidKey
import AssayCore

extension AndroidKeyEngine {
    private static let policyFields = Configuration.fields

    /// Chains for `assay verify --kind`.
    package static let rawKinds: [RawKind] = [
        RawKind(
            .androidKeyAttestation,
            file: .bytes { (file, _) throws(RawError) in try chain(file) },
            options: [
                .alias(
                    of: policyFields["packages"], valueName: "name",
                    required: .withoutPolicy("which app is genuine is for you to say"),
                    help: "A package name, one of which must have made the key."),
                .alias(
                    of: policyFields["certificateDigests"], isVerbatim: true, valueName: "digest"),
                .evidence(
                    "challenge", .bytes(plainIsText: true),
                    required: .always("without it the attestation may be that of any other request"),
                    "The challenge, text, compared as it is."),
                .evidence(
                    "publicKey", .publicKey,
                    "The key that the app claims to have. \(RawOption.publicKeyForms)"),
                .alias(
                    of: policyFields["statusList"], valueName: "source",
                    help: "The list of revoked certificates: file:PATH, service or none."),
                .alias(of: policyFields["securityLevel"]),
                .testRoot(in: policyFields, insteadOf: "Google"),
            ],
            // The caller supplies the challenge: it is compared, not consumed.
            defaults: [
                RawKind.Default("challenge", .scalar(AndroidKeyConfiguration.ChallengeSource.caller.rawValue)),
                RawKind.Default(
                    AttestationStatusRule.policyField, .scalar("none"),
                    note: "no certificate counts as revoked, as no --status-list is given"),
            ],
            example: [
                "--package NAME --certificate-digest DIGEST",
                "--challenge TEXT --status-list file:status.json chain.pem",
            ],
            objection: { arguments in
                arguments.hasPolicy || arguments.sets("certificate-digest", "certificateDigests")
                    ? nil : "--certificate-digest is required without --policy: whose build is genuine"
            }),
        RawKind(
            .androidKeyRequest, file: .request,
            options: [
                .alias(
                    of: policyFields["packages"], valueName: "name",
                    required: .withoutPolicy("which app is genuine is for you to say"),
                    help: "A package name, one of which must have enrolled the key.")
            ] + RawOption.requests(in: policyFields) + [
                .evidence(
                    "publicKey", .publicKey,
                    "The key of keyid. \(RawOption.publicKeyForms) Without a ledger.")
            ],
            defaults: [
                RawKind.Default("challenge", .scalar(AndroidKeyConfiguration.ChallengeSource.caller.rawValue)),
                // Not compared: requests have no certificate of an app.
                RawKind.Default(
                    "certificateDigests", .sequence([.written(.scalar(String(repeating: "0", count: 64)))])),
                RawKind.Default(AttestationStatusRule.policyField, .scalar("none")),
                .anyNonce,
            ],
            example: ["--package NAME --public-key KEY", "--target-uri https://HOST/PATH request.http"],
            objection: { RawOption.objection(toTargetURIOf: $0) ?? requestObjection($0) }),
    ]

    @Sendable
    private static func requestObjection(_ arguments: RawArguments) -> String? {
        if let ledger = arguments.ledger {
            return arguments.has("public-key")
                ? "--public-key is for use without a ledger; \(ledger) has the key or refuses" : nil
        }
        return arguments.has("public-key")
            ? nil : "a request needs --public-key, or the ledger that has its key (--ledger sqlite:PATH)"
    }

    /// The certificates of a file: PEM blocks, DER one behind another, or base64 of certificates in one piece or in a list.
    private static func chain(_ file: [UInt8]) throws(RawError) -> RawFields {
        var certificates: [[UInt8]]
        var note: String?
        do throws(DecodeError) { certificates = try CertificateFile.certificates(in: file) } catch {
            guard let text = CertificateText(file) else { throw .malformed(error) }
            certificates = text.certificates.map(\.der)
            note = text.form
        }
        let list = certificates.map { RecordValue(.text(Base64.encode($0, .standard)), offset: 0) }
        return RawFields([("certificates", .array(list))], readAs: note)
    }
}

/// Takes a file of certificates apart, without decoding them.
enum CertificateFile {
    /// The DER of each certificate, in order: of PEM blocks, or of DER, one certificate behind another.
    static func certificates(in file: [UInt8]) throws(DecodeError) -> [[UInt8]] {
        guard file.first == 0x30 else { return try PEM.blocks(in: file).map(\.der) }
        var reader = DERReader(file)
        var certificates: [[UInt8]] = []
        while !reader.isAtEnd { certificates.append(Array(try reader.read(.sequence).bytes)) }
        return certificates
    }
}
