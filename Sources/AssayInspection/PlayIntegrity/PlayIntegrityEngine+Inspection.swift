package import AssayCore
package import PlayIntegrity

extension PlayIntegrityEngine: InspectableEngine {
    package static let title = "Play Integrity"

    package static let formats: [any BlobFormat.Type] = [
        ClassicTokenFormat.self, IntegrityAnswerFormat.self, IntegrityPayloadFormat.self, PlayConsoleKeysFormat.self,
        PlayIntegrityRequestFormat.self,
    ]

    package static let fields: [InspectedField] =
        [
            InspectedField(nil, "decoded", "Google's answer to the decode call", IntegrityAnswerFormat.self),
            InspectedField(nil, "packageName", "the app that is to have asked for the token"),
            InspectedField(
                .playIntegrityClassic, "token", "the token, for the keys of the Play Console or for Google",
                ClassicTokenFormat.self),
            InspectedField(
                .playIntegrityClassic, "nonce", "the nonce of the request, as the server gave it out"),
            InspectedField(
                .playIntegrityClassic, "challenge", "the server's challenge, which the nonce binds"),
            InspectedField(
                .playIntegrityClassic, "requestHash", "the SHA-256 of the request, which the nonce binds"),
            InspectedField(.playIntegrityStandard, "token", "the token, which only Google can open"),
            InspectedField(
                .playIntegrityStandard, "requestHash", "the hash of the request, as the server computes it"),
        ] + EvidenceRequest.fields(of: .playIntegrityRequest)

    package static let mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] = [
        (ClassicTokenFormat.self, .playIntegrityClassic), (IntegrityAnswerFormat.self, .playIntegrityStandard),
        (IntegrityPayloadFormat.self, .playIntegrityStandard), (PlayIntegrityRequestFormat.self, .playIntegrityRequest),
    ]

    /// A record of Google's answer to a token, or of its payload, with package name and nonce or request hash as the answer has them:
    /// so it shows whether app and device meet the policy, not whether the answer is for a request of the server. Nil for a classic
    /// token itself: only its keys or Google can open it.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        if format == PlayIntegrityRequestFormat.self { return EvidenceRequest.record(of: blob, .playIntegrityRequest) }
        guard format == IntegrityAnswerFormat.self || format == IntegrityPayloadFormat.self,
            let object = try? JSONReader.readObject(blob, limit: InputLimits.integrityAnswer)
        else { return nil }
        let isAnswer = format == IntegrityAnswerFormat.self
        let answer = isAnswer ? object : RecordObject([("tokenPayloadExternal", .object(object))])
        guard case .object(let payload)? = answer["tokenPayloadExternal"]?.content,
            case .object(let request)? = payload["requestDetails"]?.content,
            case .text(let package)? = request["requestPackageName"]?.content
        else { return nil }
        let kind: EvidenceKind
        var evidence: [(String, RecordValue.Content)] = [("packageName", .text(package)), ("decoded", .object(answer))]
        switch (request["requestHash"]?.content, request["nonce"]?.content) {
        case (.text(let hash)?, nil):
            kind = EvidenceKind.playIntegrityStandard
            evidence.append(("requestHash", .text(hash)))
        case (nil, .text(let nonce)?):
            kind = EvidenceKind.playIntegrityClassic
            evidence.append(("nonce", .text(nonce)))
        default: return nil
        }
        return EvidenceRecord(kind, alone: evidence)
    }
}

/// A saved request with a standard token as its signature.
enum PlayIntegrityRequestFormat: EvidenceRequestFormat {
    static let name = "HTTP request with a standard integrity token"
    static let tag = PlayIntegrityConfiguration.engine
    static let evidence =
        "a standard integrity token, whose requestHash is base64url of SHA-256 of the signature base"
    static let unknown =
        "what the token says: only Google can open it; `assay verify --kind play-integrity.request` has it opened"
}
