import Assay
import AssayCore
import AssayPrimitives
import FoundationEssentials
import HTTPTypes

/// What a capture needs of a request besides its verdict.
struct RequestCapture: Sendable {
    private let capture: SampledCapture
    /// What the evidence covers, without the body; nil if the evidence covers no request.
    private let message: SignedParts?
    private let fields: HTTPFields
    private let address: String?
    private let account: String?
    private let arrival: Date
    /// The place of the body, before it was read.
    private let place: RequestBodyPlace
    private let isBodyPresent: Bool
    /// The body, once it has been read.
    var body: UnreadRequest.Body?

    /// Nil without a capture.
    init?(
        _ capture: SampledCapture?, _ source: some RequestSource, _ message: SignedParts?, isBodyPresent: Bool,
        account: String?, arrival: Date
    ) {
        guard let capture else { return nil }
        self.capture = capture
        fields = source.fields
        self.message = message
        address = message.map(\.address) ?? source.address
        self.account = account
        self.arrival = arrival
        place = source.body
        self.isBodyPresent = isBodyPresent
    }

    /// Captures the evidence of a verdict, if it belongs to the share.
    func offer(_ verdict: Verdict, _ evidence: RequiredEvidence) {
        capture.offer(verdict) { record(of: evidence) }
    }

    /// The record of evidence of the request; nil if there can be none.
    func record(of evidence: RequiredEvidence) -> EvidenceRecord? {
        let found: RecordObject?
        switch evidence.form {
        case .fields(let names):
            found = evidence.engine.recordEvidence(
                fields: { names.value($0, of: fields) }, address: address, app: evidence.app)
        case .head: found = self.evidence([.bytes([])], for: evidence.engine)
        case .signature(_, let rule): found = self.evidence(bodies(rule), for: evidence.engine)
        }
        return found.map {
            EvidenceRecord(
                id: nil, kind: evidence.kind, app: evidence.app, account: account, receivedAt: arrival, evidence: $0,
                expect: nil)
        }
    }

    private func evidence(_ bodies: [SignedRequest.Body], for engine: any RequestEngine) -> RecordObject? {
        guard let message else { return nil }
        return bodies.lazy.compactMap { body in
            try? type(of: engine).recordEvidence(
                of: SignedRequest(
                    method: message.method, targetURI: message.targetURI, fields: message.fields, body: body,
                    address: message.address))
        }.first
    }

    /// The forms of the body that a replay judges as the request was judged, the shortest first.
    private func bodies(_ rule: RequestRules.BodyRule) -> [SignedRequest.Body] {
        switch body {
        case .bytes(let bytes):
            var digests = BodyDigests(for: fields)
            digests.update(bytes)
            return [digests.body, .bytes(bytes)]
        case .digests(let digests): return [digests.body]
        case nil: break
        }
        switch RequiredEvidence.unreadBody(at: place, isPresent: isBodyPresent, rule, fields) {
        // An unread body is judged as the one that the request states.
        case .unread: return [claimed].compactMap(\.self)
        case let body: return [body]
        }
    }

    /// The digests in `Content-Digest`.
    private var claimed: SignedRequest.Body? {
        guard let name = BodyDigests.contentDigest, let value = fields[name],
            let field = try? ContentDigest(Array(value.utf8)[...])
        else { return nil }
        func digest(_ algorithm: ContentDigest.Algorithm) -> [UInt8]? {
            field.values.first { $0.algorithm == algorithm }?.digest
        }
        return .digests(sha256: digest(.sha256), sha512: digest(.sha512))
    }
}

extension RequiredEvidence {
    /// The body of a request that has not been read.
    static func unreadBody(
        at place: RequestBodyPlace, isPresent: Bool, _ rule: RequestRules.BodyRule, _ fields: HTTPFields
    ) -> SignedRequest.Body {
        switch (place, rule) {
        case (.attached, _): isPresent ? .unread : .bytes([])
        case (.none, _): .bytes([])
        // No digest was computed, so the check of the body fails.
        case (.unseen, .verified): .digests(sha256: nil, sha512: nil)
        // The upstream compares the body with the covered digests. If there are none, it must refuse a body.
        case (.unseen, .upstream):
            BodyDigests.contentDigest.map(fields.contains) ?? true ? .unread : .bytes([])
        }
    }
}
