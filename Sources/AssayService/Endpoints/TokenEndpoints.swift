import Assay
import AssayCore
import AssayPrimitives
import AssayTokens
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// `POST /v1/tokens`, and the documents by which others verify the tokens.
struct TokenEndpoints: Sendable {
    let state: ServiceState
    let configuration: ServiceConfiguration
    /// Nil if this is no failover instance.
    let failover: FailoverState?
    private let keySet = SharedBytes()
    private let metadata = SharedBytes()

    init(state: ServiceState, configuration: ServiceConfiguration, failover: FailoverState?) {
        (self.state, self.configuration, self.failover) = (state, configuration, failover)
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/tokens", .right(.verify), "issueToken",
                "Exchanges evidence for a token, or for one for each of several audiences, for apps whose policy has `tokens`.",
                body: .json(
                    [
                        "record": .reference("schemas/Record"),
                        "challenge":
                            #"{"type":"string","maxLength":64,"description":"The challenge as it was issued. The evidence contains the SHA-256 digest of `assay-token`, challenge, audience or audiences and jkt in its place, each followed by a line feed."}"#,
                        "audience": .string(max: 255),
                        "audiences":
                            #"{"type":"array","minItems":1,"maxItems":\#(Self.mostAudiences),"items":{"type":"string","maxLength":255},"description":"In place of audience: a token for each. The evidence has them on one line, with a space between two."}"#,
                        "jkt": Self.thumbprint,
                        "jwk":
                            #"{"type":"object","description":"The client's public key of P-256, in place of jkt: for the formats approov and oauth-client-attestation."}"#,
                        "keyProof": .string(
                            max: 4096,
                            "For the format oauth-client-attestation: a DPoP proof by jwk for POST to this path of the issuer, with the challenge as nonce."
                        ),
                        "pay":
                            #"{"type":"string","maxLength":64,"description":"For the format approov: base64 of the SHA-256 digest of the bound values. The evidence covers it as one more line."}"#,
                        "address": .string(max: 45, "For the format approov: the IP address of the client, for `ip`."),
                        "limitedUse": #"{"type":"boolean"}"#,
                        "ear": #"{"type":"boolean","description":"Whether the token has the claims of EAR."}"#,
                        "claims": .string(
                            max: 512,
                            "The text of a JSON object with claims of the app. The evidence covers base64url of its SHA-256 digest as one more line."
                        ),
                        "configuration":
                            #"{"type":"integer","minimum":0,"maximum":\#(HeldConfiguration.largestVersion),"description":"The version of the signed configuration that the app has, 0 for none; without it the answer has none."}"#,
                        "configurationMode":
                            #"{"enum":\#(Self.modes),"description":"The mode in force in the app; pin without it."}"#,
                    ], required: 2),
                success: 201, outcome: "The token, or with `audiences` the tokens.",
                content: .json(
                    [
                        "token": .string("A JWT of the type assay+jwt, or a token in the policy's format."),
                        "tokenType": #"{"enum":["DPoP","Bearer","Approov-Token","OAuth-Client-Attestation"]}"#,
                        "expiresIn": Self.life,
                        "tokens":
                            #"{"type":"array","items":{"type":"object"},"description":"Of a request with audiences: audience, token, tokenType and expiresIn of each, in its order."}"#,
                        "arc": .string("For the format approov: the attestation response code."),
                        "messageKey": .string(
                            "For the format approov: the account's key for message signing, base64, if the policy delivers it."
                        ),
                        "configuration": .string(
                            "A JWT of the type \(AppConfigurationClaims.type), if the policy says configuration: pins and the app does not have it."
                        ),
                    ], required: 0),
                answers: [
                    403: .answer(
                        "The verdict that rejects the evidence; or a problem of the caller's role.",
                        [
                            "application/json": .reference("schemas/Verdict"),
                            "application/problem+json": .reference("schemas/Problem"),
                        ])
                ], problems: [404, 422, 429], issue),
            Endpoint(
                .post, "/v1/tokens/debug", .right(.verify), "issueDebugToken",
                "Exchanges a debug token of the policy for a token with `env: test`, for simulators and CI.",
                body: .json(
                    [
                        "app": .string(max: 128),
                        "debugToken": .string(max: 128, "The secret that `assay tokens debug` printed."),
                        "audience": .string(max: 255), "jkt": Self.thumbprint, "limitedUse": #"{"type":"boolean"}"#,
                    ], required: 3),
                success: 201, outcome: "The token.",
                content: .json([
                    "token": .string("A JWT of the type assay+jwt."), "tokenType": #"{"enum":["DPoP","Bearer"]}"#,
                    "expiresIn": Self.life,
                ]),
                problems: [404, 422], issueDebug),
            Endpoint(
                .get, TokenConfiguration.keySetPath, .all, "tokenKeys",
                "The public keys of tokens, to be cached for ten minutes.",
                outcome: "A JSON Web Key Set.", content: ["application/jwk-set+json": .object],
                answers: [304: .answer("The set has not changed.")], problems: [404]
            ) { (served) async throws(Problem) in
                _ = try rules()
                let text = try await keys().keySet
                return document(text, "application/jwk-set+json", keySet, to: served.request)
            },
            Endpoint(
                .get, TokenConfiguration.metadataPath, .all, "tokenMetadata",
                "Where the keys of tokens are, and how tokens are signed.",
                outcome: "OpenID provider metadata.",
                answers: [304: .answer("It has not changed.")], problems: [404]
            ) { (served) throws(Problem) in
                document(try rules().metadata, "application/json", metadata, to: served.request)
            },
        ]
    }

    private static let thumbprint = JSONFragment.string(
        max: 64, "The SHA-256 thumbprint of the client's P-256 key (RFC 7638).")

    private static let modes = JSONText.array(PinMode.allCases.map { JSONText.string($0.rawValue) })
    private static let life: JSONFragment = #"{"type":"integer","description":"Seconds."}"#
    /// The most audiences of a request.
    static let mostAudiences = 25

    // MARK: Issuing

    private func issue(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let limits = configuration.limits
        let request: TokenRequest
        let isList: Bool
        do throws(Problem) {
            (request, isList) = try Self.read(
                try await served.fields(
                    [
                        "record", "challenge", "audience", "audiences", "jkt", "jwk", "keyProof", "pay",
                        "address", "limitedUse", "ear", "claims", "configuration", "configurationMode",
                    ], upTo: limits.body, within: limits.bodyTime))
        } catch {
            state.recent.add(error, RecentSource(.token, served.id))
            throw error
        }
        served.note.take(request.record)
        _ = try rules()
        if let failover { return try await issue(request, isList: isList, failover, &served) }
        let answer: TokenAnswer
        do throws(VerificationError) {
            answer = try await state.verifier.issueToken(request, at: Date())
        } catch {
            state.recent.add(error, RecentSource(.token, served.id, request.record))
            throw problem(error)
        }
        switch answer {
        case .rejected(let verdict):
            state.recent.add(verdict, RecentSource(.token, served.id, request.record))
            served.note.take(verdict)
            capture(verdict, on: request.record)
            return .json(verdict.jsonBytes(id: request.record.id), .forbidden)
        case .issued(let grant, let verdict), .decoy(let grant, let verdict):
            state.recent.add(verdict, RecentSource(.token, served.id, request.record))
            served.note.take(verdict)
            served.note.responseCode = grant.responseCode
            capture(verdict, on: request.record)
            return Self.response(grant, isList: isList)
        case .concealed(let grant, let error):
            state.recent.add(.request(error), as: .reject, RecentSource(.token, served.id, request.record))
            (served.note.outcome, served.note.problem) = (Verdict.Outcome.reject.rawValue, error.code)
            served.note.detail = error.message
            served.note.responseCode = grant.responseCode
            return Self.response(grant, isList: isList)
        }
    }

    private func capture(_ verdict: Verdict, on record: EvidenceRecord) {
        state.capture?.offer(verdict) { record.received(at: verdict.judgedAt) }
    }

    /// The answer of a failover instance, which looks at no evidence.
    private func issue(
        _ request: TokenRequest, isList: Bool, _ failover: FailoverState, _ served: inout ServiceRequest
    ) async throws(Problem) -> Response {
        switch failover.present {
        case .active: break
        case .standby:
            throw Problem(
                .serviceUnavailable, .primaryReachable,
                "this is a failover instance, and the first one, \(failover.primary), can be reached")
        case .expired:
            throw Problem(
                .serviceUnavailable, .failoverLimit,
                "the first instance, \(failover.primary), cannot be reached for longer than failover.limit, "
                    + PolicyNode.text(ofSeconds: configuration.failover.limit))
        }
        let now = Date()
        let block: LedgerBlock?
        do throws(VerificationError) {
            block = try await state.verifier.failoverBlock(on: request.record, at: now)
        } catch {
            throw problem(error)
        }
        if let block {
            throw Problem(.forbidden, .failoverBlocked, "the \(block.subject.kind.rawValue) of the record is blocked")
        }
        do throws(VerificationError) {
            var tokens: [IssuedToken] = []
            for audience in request.audiences {
                let issued = try await state.verifier.issueFailoverToken(
                    app: request.record.app, audience: audience, at: now)
                served.note.app = issued.app
                tokens.append(issued.token)
            }
            served.note.isFailover = true
            return Self.response(tokens, isList: isList)
        } catch { throw problem(error) }
    }

    private static func response(_ grant: TokenGrant, isList: Bool) -> Response {
        response(grant.tokens, isList: isList) { object in
            if let code = grant.responseCode { object.add("arc", text: code) }
            if let key = grant.messageKey {
                object.add("messageKey", text: key.withUnsafeBytes { Base64.encode(Array($0), .standard) })
            }
            if let configuration = grant.configuration { object.add("configuration", text: configuration) }
        }
    }

    /// - Parameter isList: whether the request named a list of audiences.
    private static func response(
        _ tokens: [IssuedToken], isList: Bool, _ more: (inout JSONObject) -> Void = { _ in }
    ) -> Response {
        func members(of token: IssuedToken) -> JSONObject {
            var object = JSONObject()
            if isList { object.add("audience", text: token.audience) }
            object.add("token", text: token.text)
            object.add("tokenType", text: token.scheme.rawValue)
            object.add("expiresIn", raw: "\(token.expiresIn)")
            return object
        }
        var object = JSONObject()
        if !isList, let token = tokens.first {
            object = members(of: token)
        } else {
            object.add("tokens", raw: JSONText.array(tokens.map { members(of: $0).text }))
        }
        more(&object)
        return .json(object.text, .created)
    }

    /// Issues a token for a debug token. Its name stands in the log, and the route in the metrics of requests.
    private func issueDebug(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let limits = configuration.limits
        let request = try Self.readDebug(
            try await served.fields(
                ["app", "debugToken", "audience", "jkt", "limitedUse"], upTo: min(limits.body, Self.debugBodyLimit),
                within: limits.bodyTime))
        _ = try rules()
        served.note.app = request.app
        do throws(VerificationError) {
            let issued = try await state.verifier.issueToken(request, by: served.calledBy?.name, at: Date())
            served.note.debugToken = issued.debugToken
            return Self.response([issued.token], isList: false)
        } catch { throw problem(error) }
    }

    /// The longest body of a request with a debug token, in bytes.
    private static let debugBodyLimit = 4096

    // MARK: Documents

    private func rules() throws(Problem) -> TokenConfiguration {
        guard let rules = state.verifier.tokenRules else {
            throw Problem(.notFound, .unknownApp, "no app of the policy has \(TokenConfiguration.policyField)")
        }
        return rules
    }

    private func keys() async throws(Problem) -> TokenKeySchedule {
        do throws(VerificationError) { return try await state.verifier.tokenKeys(at: Date()) } catch {
            throw problem(error)
        }
    }

    /// `no-key` is 503: the service creates its first key at startup, so a retry can succeed.
    private func problem(_ error: VerificationError) -> Problem {
        guard case .request(let request) = error, [.noKey, .tokenLimit].contains(request.reason) else {
            return Problem(error, retryAfter: configuration.retryAfter)
        }
        if request.reason == .tokenLimit {
            var problem = Problem(.tooManyRequests, .tokenLimit, request.message)
            // The end of the hour.
            problem.headers[.retryAfter] = "\(3600 - Int(Date().timeIntervalSince1970) % 3600)"
            problem.remedy = .retry
            return problem
        }
        let advice =
            configuration.masterKey == nil
            ? "; this service has no masterKey, so that it cannot open the keys in the ledger" : ""
        var problem = Problem(.serviceUnavailable, .noKey, request.message + advice)
        problem.headers[.retryAfter] = "\(configuration.retryAfter)"
        return problem
    }

    /// A document that clients cache, with its digest as entity tag.
    private func document(
        _ text: String, _ mediaType: String, _ shared: SharedBytes, to request: Request
    ) -> Response {
        let tag = "\"\(Base64.encode(Digest.sha256(Array(text.utf8)).prefix(12), .url))\""
        var headers: HTTPFields = [
            .cacheControl: "public, max-age=\(Int(TokenKeySchedule.maximumAge))", .eTag: tag,
        ]
        if request.headers[values: .ifNoneMatch].contains(where: { $0 == tag || $0 == "*" }) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = mediaType
        return Response(status: .ok, headers: headers, body: .whole(shared.bytes(of: text)))
    }
}

/// The bytes of a document that seldom changes. Shared by all answers: otherwise slow clients without a token could
/// fill memory with copies.
private final class SharedBytes: Sendable {
    private let last = Mutex<(text: String, bytes: ByteBuffer)?>(nil)

    func bytes(of text: String) -> ByteBuffer {
        last.withLock { last in
            if let last, last.text == text { return last.bytes }
            let bytes = ByteBuffer(string: text)
            last = (text, bytes)
            return bytes
        }
    }
}
