import Assay
import AssayCore
import AssayPrimitives
import AssayTokens
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// `POST /v1/tokens`, and the documents by which others verify the tokens.
struct TokenEndpoints: Sendable {
    let live: LiveService
    let configuration: ServiceConfiguration

    var endpoints: [Endpoint] {
        [
            Endpoint(.post, "/v1/tokens", .right(.verify)) { (served) async throws(Problem) in
                try await issue(&served)
            },
            Endpoint(.get, TokenConfiguration.keySetPath, .all) { (served) async throws(Problem) in
                _ = try rules()
                let text = try await keys().keySet
                return document(text, "application/jwk-set+json", to: served.request)
            },
            Endpoint(.get, TokenConfiguration.metadataPath, .all) { (served) throws(Problem) in
                document(try rules().metadata, "application/json", to: served.request)
            },
        ]
    }

    // MARK: Issuing

    private func issue(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        guard served.request.mediaType == "application/json" else {
            throw Problem.mediaType(served.request.mediaType, "application/json")
        }
        let limits = configuration.limits
        let bytes = try await served.wholeBody(upTo: limits.body, within: limits.bodyTime)
        let request = try Self.read(bytes, limit: limits.body)
        served.note.kind = request.record.kind.name
        _ = try rules()
        let answer: TokenAnswer
        do throws(VerificationError) {
            answer = try await live.verifier.issueToken(request, at: Date())
        } catch { throw problem(error) }
        switch answer {
        case .rejected(let verdict):
            Self.note(verdict, &served)
            return .json(verdict.json(id: request.record.id), .forbidden)
        case .issued(let token, let verdict):
            Self.note(verdict, &served)
            var object = JSONObject()
            object.add("token", text: token.text)
            object.add("tokenType", text: token.scheme.rawValue)
            object.add("expiresIn", raw: "\(token.expiresIn)")
            return .json(object.text, .created)
        }
    }

    private static func note(_ verdict: Verdict, _ served: inout ServiceRequest) {
        served.note.app = verdict.app
        served.note.outcome = verdict.outcome.rawValue
        served.note.failed = verdict.failed.map(\.name)
    }

    private static func read(_ bytes: [UInt8], limit: Int) throws(Problem) -> TokenRequest {
        do throws(RecordError) {
            let object: RecordObject
            do { object = try JSONReader.readObject(bytes, limit: limit) } catch {
                throw RecordError(field: error.field, offset: error.offset, error.message)
            }
            let fields = RecordFields(object, path: "")
            try fields.demandOnly(["record", "challenge", "audience", "jkt", "limitedUse"])
            guard let record = fields["record"] else { throw fields.missing("record") }
            guard let challenge = try fields.text("challenge", atMost: 64) else { throw fields.missing("challenge") }
            guard let audience = try fields.text("audience", atMost: 255) else { throw fields.missing("audience") }
            var isLimitedUse = false
            if let value = fields["limitedUse"] {
                guard case .flag(let flag) = value.content else {
                    throw fields.error("limitedUse", "expected true or false, found \(value.kindName)")
                }
                isLimitedUse = flag
            }
            return TokenRequest(
                record: try EvidenceRecord(record), challenge: challenge, audience: audience,
                keyThumbprint: try fields.text("jkt", atMost: 64), isLimitedUse: isLimitedUse)
        } catch {
            throw Problem(.badRequest, .unreadableRequest, error.message, at: error)
        }
    }

    // MARK: Documents

    private func rules() throws(Problem) -> TokenConfiguration {
        guard let rules = live.verifier.tokenRules else {
            throw Problem(.notFound, .unknownApp, "no app of the policy has \(TokenConfiguration.policyField)")
        }
        return rules
    }

    private func keys() async throws(Problem) -> TokenKeySchedule {
        do throws(VerificationError) { return try await live.verifier.tokenKeys(at: Date()) } catch {
            throw problem(error)
        }
    }

    /// Without a key to sign or to publish, another attempt may find one: the service makes the first one when it starts.
    private func problem(_ error: VerificationError) -> Problem {
        guard case .request(let request) = error, request.reason == .noKey else {
            return Problem(error, retryAfter: configuration.retryAfter)
        }
        var problem = Problem(.serviceUnavailable, .noKey, request.message)
        problem.headers[.retryAfter] = "\(configuration.retryAfter)"
        return problem
    }

    /// A document that clients cache, with its digest as entity tag.
    private func document(_ text: String, _ mediaType: String, to request: Request) -> Response {
        let tag = "\"\(Base64.encode(Digest.sha256(Array(text.utf8)).prefix(12), .url))\""
        var headers: HTTPFields = [
            .cacheControl: "public, max-age=\(Int(TokenKeySchedule.maximumAge))", .eTag: tag,
        ]
        if request.headers[values: .ifNoneMatch].contains(where: { $0 == tag || $0 == "*" }) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = mediaType
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
