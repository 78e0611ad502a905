public import AssayCore
public import FoundationEssentials

extension KeyAttestationInput {
    /// Reads `certificates`, `challenge`, the optional `publicKey`, and the optional `statusList` of a capture.
    package static func read(
        _ evidence: RecordObject
    ) throws(RecordError) -> (KeyAttestationInput, AttestationStatusReference?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["certificates", "challenge", "publicKey", AttestationStatusReference.recordField])
        guard let list = fields["certificates"] else { throw fields.missing("certificates") }
        var certificates: [[UInt8]] = []
        for (index, text) in try fields.texts("certificates").enumerated() {
            do throws(DecodeError) { certificates.append(try Base64.decode(text, .standard)) } catch {
                throw RecordError(
                    field: "\(fields.path(of: "certificates"))[\(index)]", offset: list.offset,
                    "expected standard base64 with padding of a certificate in DER: \(error.message)")
            }
        }
        let challenge = try fields.bytes("challenge")
        guard !challenge.isEmpty else {
            throw fields.error("challenge", "expected at least one byte, found none")
        }
        let input = KeyAttestationInput(
            certificates: certificates, challenge: challenge, publicKey: try fields.optionalBytes("publicKey"))
        return (input, try AttestationStatusReference(in: fields))
    }
}

extension EvidenceRecord {
    /// Composes the record of a key attestation, for captures. Reading it gives the same input.
    ///
    /// - Parameters:
    ///   - verdict: the verdict on it, whose status list the record then names: a replay can judge by the list of the day.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil to select the app by its package name.
    ///   - account: the account of the session; nil for none.
    public init(
        _ input: KeyAttestationInput, verdict: Verdict? = nil, id: String? = nil, app: String? = nil,
        account: String? = nil, receivedAt: Date
    ) {
        var members: [(String, RecordValue.Content)] = [
            (
                "certificates",
                .array(
                    input.certificates.map { RecordValue(.text(Base64.encode($0, .standard)), offset: 0) })
            ),
            ("challenge", .text(Base64.encode(input.challenge, .standard))),
        ]
        if let key = input.publicKey { members.append(("publicKey", .text(Base64.encode(key, .standard)))) }
        if let subject = verdict?.androidKey, let digest = subject.statusListSHA256 {
            members.append(
                AttestationStatusReference(digest: digest, fetchedAt: subject.statusListFetchedAt).recordMember)
        }
        self.init(
            id: id, kind: .androidKeyAttestation, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}

extension AndroidKeyEngine {
    /// The parts of requests, and certificates that name a device. Other parts of attestations identify no person by themselves, and
    /// authorise nobody: a chain is used once, with its challenge.
    package static let sensitiveFields =
        [
            SensitiveField(
                "certificates", of: .androidKeyAttestation,
                reveals: "the device: its IMEI, MEID or serial number, or the identifier that system apps get",
                condition: "that names a device, or cannot be read", isSensitive: namesDevice)
        ] + SignedRequest.sensitiveFields(of: .androidKeyRequest)

    /// The key, its certificates and challenge, and the status list of a capture.
    package static func retainedFields(of kind: EvidenceKind) -> [String] {
        switch kind {
        case .androidKeyAttestation: ["challenge", "publicKey", AttestationStatusReference.recordField]
        case .androidKeyRequest: ["method", "publicKey"]
        default: []
        }
    }

    /// The evidence with the status list that decided, and never with one that the evidence names.
    package static func captured(_ evidence: RecordObject, judged verdict: Verdict) -> RecordObject {
        guard verdict.evidenceKind == .androidKeyAttestation else { return evidence }
        var members = evidence.members.filter { !$0.name.isByteEqual(to: AttestationStatusReference.recordField) }
        if let subject = verdict.androidKey, let digest = subject.statusListSHA256 {
            let list = AttestationStatusReference(digest: digest, fetchedAt: subject.statusListFetchedAt).recordMember
            members += RecordObject([list]).members
        }
        return RecordObject(members, offset: evidence.offset)
    }

    /// Whether one of the certificates has an identifier of the device, or cannot be read so that it may have one.
    private static func namesDevice(_ value: RecordValue) -> Bool {
        guard case .array(let elements) = value.content else { return true }
        return elements.contains { element in
            guard case .text(let text) = element.content, let der = try? Base64.decode(text, .standard),
                let certificate = try? Certificate(der: der[...], profile: .keystore)
            else { return true }
            guard let found = certificate.extension(KeyDescription.oid) else { return false }
            guard let description = try? KeyDescription(found.value) else { return true }
            return description.namesDevice
        }
    }

    /// The identifier of the key: enrolment is per key, and requests follow it.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        if record.kind == .androidKeyRequest {
            return AndroidKeyRequest.keyID(of: record).map { "\(Configuration.engine) \($0)" }
        }
        guard let certificates = try? RecordFields(record.evidence, path: "evidence").texts("certificates"),
            let text = certificates.first, let leaf = try? Base64.decode(text, .standard),
            let certificate = try? Certificate(der: leaf[...], profile: .keystore)
        else { return nil }
        let identifier = Digest.sha256(certificate.subjectPublicKeyInfo)
        return "\(Configuration.engine) \(Base64.encode(identifier, .standard))"
    }
}

extension EvidenceKind {
    /// A chain of certificates with which Android's keystore attests a key (Android documentation, "Verify hardware-backed key
    /// pairs with key attestation").
    public static let androidKeyAttestation = EvidenceKind("android-key.attestation")
    /// A request that an attested key has signed as an HTTP message signature.
    public static let androidKeyRequest = EvidenceKind("android-key.request")
}
