package import AssayCore
package import FoundationEssentials

/// The secrets for one request with acceptable evidence, chosen before the ledger decides: no evidence is used up for names that are not
/// known.
package struct SecretDelivery: Sendable {
    /// The `typ` of the JWE.
    static let type = "assay-secrets"

    package let assessment: Assessment
    package let app: String
    private let request: SecretRequest
    private let values: [(name: String, value: SecretBytes)]
    private let end: Date

    /// Chooses the secrets.
    /// - Throws: `secrets-disabled`, `unknown-secret`, `not-exchangeable` for evidence that no platform signed, and
    ///   `evidence-not-bound`.
    package init(
        _ request: SecretRequest, _ assessment: Assessment, in policy: VerificationPolicy, keys: [NamedKey],
        at now: Date
    ) throws(RequestError) {
        guard let app = policy.apps.first(where: { $0.name.isByteEqual(to: assessment.app ?? "") }) else {
            throw RequestError(.unknownApp, "the evidence names no app of the policy")
        }
        guard let rules = app.configuration(SecretsConfiguration.self), rules.enabled == .yes else {
            throw RequestError(
                .secretsDisabled, "the policy gives app \(app.name.excerpt) no secrets: see secrets.enabled")
        }
        try Self.require(assessment, request.record.kind, rules)
        let thumbprint = JWKThumbprint.p256(request.publicKey)
        let derived = SecretRequest.evidenceChallenge(
            request.challenge, names: request.names, keyThumbprint: thumbprint)
        guard let bound = assessment.covering(derived, inPlaceOf: request.challenge) else {
            throw RequestError(
                .evidenceNotBound,
                "the evidence is not bound to this request: its challenge must be SHA-256 of assay-secrets, the challenge, the names "
                    + "with commas, and the key's thumbprint, each followed by a line feed; the policy must say challenge: "
                    + "ledger, except for signed requests")
        }
        let device = assessment.subject.flatMap { subject in
            subject.identifier.map { LedgerSubject(subject.identifierKind, $0) }
        }
        var (values, end): ([(String, SecretBytes)], Date) = ([], now.addingTimeInterval(rules.life))
        for name in request.names {
            guard rules.names.containsBytes(of: name), let key = Self.key(name, app.name, keys, at: now) else {
                throw RequestError(
                    .unknownSecret,
                    "app \(app.name.excerpt) has no secret \(name): the policy must name it, and assay secrets add must have added "
                        + "a value that counts now")
            }
            guard let value = key.secret.value(for: device, app: app.name) else {
                throw RequestError(
                    .notExchangeable, "the secret \(name) is derived for each device, and the evidence names no device")
            }
            values.append((name, value))
            end = [end, key.end].compactMap(\.self).min() ?? end
        }
        (self.assessment, self.app, self.request, self.values, self.end) = (bound, app.name, request, values, end)
    }

    /// Secrets are only for evidence that a platform stands for, and that the ledger accepts once.
    private static func require(
        _ assessment: Assessment, _ kind: EvidenceKind, _ rules: SecretsConfiguration
    ) throws(RequestError) {
        guard assessment.testAuthority == nil || rules.testAuthorities == .allow else {
            throw RequestError(
                .notExchangeable,
                "a test authority signed the evidence, and the policy says secrets.testAuthorities: refuse")
        }
        guard assessment.voucher == .platform else {
            throw RequestError(.notExchangeable, "no secret is given for this \(kind): no platform stands for it")
        }
        guard !assessment.effects.isEmpty else {
            throw RequestError(
                .notExchangeable,
                "no secret is given for this \(kind): nothing in the ledger prevents its reuse. Use evidence with challenge: ledger"
            )
        }
    }

    /// The newest live secret of a name: the app's own, else one for all apps. With it, the time at which it ends.
    private static func key(
        _ name: String, _ app: String, _ keys: [NamedKey], at now: Date
    ) -> (secret: RuntimeSecret, end: Date?)? {
        let live = keys.filter {
            $0.state(at: now) == .live && ($0.material as? RuntimeSecret)?.name.isByteEqual(to: name) == true
        }
        let own = live.filter { $0.scope?.isByteEqual(to: app) == true }
        guard let key = (own.isEmpty ? live.filter { $0.scope == nil } : own).newest,
            let secret = key.material as? RuntimeSecret
        else { return nil }
        return (secret, [key.window.notAfter, key.retiredAt].compactMap(\.self).min())
    }

    /// Seals the values for the client: a compact JWE with `ECDH-ES` on P-256 and `A256GCM`, a JSON object with `secrets`, `challenge`,
    /// `app`, `iat` and `exp`. Returns its life in seconds too.
    package func sealed(at now: Date) throws(VerificationError) -> (text: String, expiresIn: Int) {
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        let expiresAt = max(issuedAt, Int64(end.timeIntervalSince1970.rounded(.down)))
        let members = values.map { (name, value) in
            (name, RecordValue.Content.text(value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
        }
        var bytes: [UInt8] = []
        RecordJSON.append(
            .object(
                RecordObject([
                    ("secrets", .object(RecordObject(members))), ("challenge", .text(request.challenge)),
                    ("app", .text(app)), ("iat", .number("\(issuedAt)")), ("exp", .number("\(expiresAt)")),
                ])), to: &bytes)
        defer { SecretBytes.wipe(&bytes) }
        do throws(DecodeError) {
            let text = try CompactJWE.seal(SecretBytes(bytes), for: request.publicKey, type: Self.type)
            return (text, Int(expiresAt - issuedAt))
        } catch {
            throw .outage(KeyStoreOutage(.internalError, "the secrets could not be sealed"))
        }
    }
}
