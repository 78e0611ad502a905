package import AssayCore
package import AssayInspection
import AssayPrimitives

extension PlayIntegrityEngine {
    /// The blob formats of Play Integrity.
    package static let formats: [any BlobFormat.Type] = [
        ClassicTokenFormat.self,
        IntegrityAnswerFormat.self,
        IntegrityPayloadFormat.self,
        PlayConsoleKeysFormat.self,
    ]

    /// The format of a field of a record.
    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? {
        switch (kind, field) {
        case (EvidenceKind.playIntegrityClassic, "token"): ClassicTokenFormat.self
        case (EvidenceKind.playIntegrityStandard, "decoded"): IntegrityAnswerFormat.self
        default: nil
        }
    }

    /// The meaning of a record's field.
    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        switch (kind, field) {
        case (_, "packageName"): "the app that is to have asked for the token"
        case (EvidenceKind.playIntegrityClassic, "token"): "the token, encrypted for the keys of the Play Console"
        case (EvidenceKind.playIntegrityClassic, "nonce"): "the nonce of the request, as the server gave it out"
        case (EvidenceKind.playIntegrityStandard, "token"): "the token, which only Google can open"
        case (EvidenceKind.playIntegrityStandard, "requestHash"): "the hash of the request, as the server computes it"
        case (EvidenceKind.playIntegrityStandard, "decoded"): "Google's answer to the decode call"
        default: nil
        }
    }

    /// The kind of evidence whose main part has this format.
    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? {
        if format == ClassicTokenFormat.self { return EvidenceKind.playIntegrityClassic }
        if format == IntegrityAnswerFormat.self || format == IntegrityPayloadFormat.self {
            return EvidenceKind.playIntegrityStandard
        }
        return nil
    }

    /// A record of Google's answer to a standard token, or of its payload. Nil for a classic token, which needs its
    /// keys, and for its payload, which has a nonce instead of the hash.
    ///
    /// It takes package name and request hash from the answer itself: the record shows whether app and device meet the
    /// policy, not whether the answer is for a request of the server.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        guard format == IntegrityAnswerFormat.self || format == IntegrityPayloadFormat.self,
            let object = try? JSONReader.readObject(blob, limit: InputLimits.integrityAnswer)
        else { return nil }
        func member(_ name: String, _ content: RecordValue.Content) -> RecordObject.Member {
            RecordObject.Member(name: name, offset: 0, value: RecordValue(content, offset: 0))
        }
        let isAnswer = format == IntegrityAnswerFormat.self
        let answer = isAnswer ? object : RecordObject([member("tokenPayloadExternal", .object(object))], offset: 0)
        guard case .object(let payload)? = answer["tokenPayloadExternal"]?.content,
            case .object(let request)? = payload["requestDetails"]?.content,
            case .text(let package)? = request["requestPackageName"]?.content,
            case .text(let hash)? = request["requestHash"]?.content
        else { return nil }
        let evidence = [
            member("packageName", .text(package)), member("requestHash", .text(hash)),
            member("decoded", .object(answer)),
        ]
        return EvidenceRecord(
            id: nil, kind: EvidenceKind.playIntegrityStandard, app: nil, receivedAt: nil,
            evidence: RecordObject(evidence, offset: 0), expect: nil)
    }
}
