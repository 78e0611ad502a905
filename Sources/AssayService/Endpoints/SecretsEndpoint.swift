import Assay
import AssayCore
import AssayPrimitives
import AssayTokens
import FoundationEssentials
import HTTPTypes

/// `POST /v1/secrets`: runtime secrets for accepted evidence, sealed for the client.
struct SecretsEndpoint: Sendable {
    let state: ServiceState
    let configuration: ServiceConfiguration

    /// The words of Approov's SDK for a request that gives no secrets ("Fetch Status Handling"). `error` of the answer has them.
    private enum Word: String {
        case unknownKey = "UNKNOWN_KEY"
        case rejected = "REJECTED"
        case disabled = "DISABLED"
        case badKey = "BAD_KEY"
    }

    var endpoint: Endpoint {
        Endpoint(
            .post, "/v1/secrets", .right(.verify), "deliverSecrets",
            "Exchanges evidence for runtime secrets, for apps whose policy has `secrets`.",
            body: .json(
                [
                    "record": .reference("schemas/Record"),
                    "challenge":
                        #"{"type":"string","maxLength":64,"description":"The challenge as it was issued. The evidence contains the SHA-256 digest of `assay-secrets`, challenge, the names with commas between them, and the thumbprint of jwk in its place, each followed by a line feed."}"#,
                    "names":
                        #"{"type":"array","minItems":1,"maxItems":\#(SecretRequest.mostNames),"items":{"type":"string","minLength":1,"maxLength":\#(SecretName.longest)}}"#,
                    "jwk":
                        #"{"type":"object","description":"The client's public key of P-256, for which the values are sealed."}"#,
                ], required: 4),
            outcome: "The values.",
            content: .json([
                "secrets": .string(
                    "A compact JWE, ECDH-ES and A256GCM. Its content has `secrets` by name, `challenge`, `app`, `iat` and `exp`."
                ),
                "expiresIn": #"{"type":"integer","description":"How long the client may keep them, in seconds."}"#,
            ]),
            answers: [
                403: .answer(
                    "The evidence was rejected; or a problem of the caller's role.",
                    [
                        "application/json": .object, "application/problem+json": .reference("schemas/Problem"),
                    ])
            ], problems: [404, 409, 422], deliver)
    }

    private func deliver(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let limits = configuration.limits
        let request: SecretRequest
        do throws(Problem) {
            request = try Self.read(
                try await served.fields(
                    ["record", "challenge", "names", "jwk"], upTo: limits.body, within: limits.bodyTime))
        } catch {
            state.recent.add(error, RecentSource(.secret, served.id))
            throw error
        }
        served.note.take(request.record)
        let answer: SecretAnswer
        do throws(VerificationError) {
            answer = try await state.verifier.deliverSecrets(request, at: Date())
        } catch {
            state.recent.add(error, RecentSource(.secret, served.id, request.record))
            throw problem(error)
        }
        let verdict =
            switch answer {
            case .sealed(_, _, let verdict), .rejected(let verdict, _): verdict
            }
        state.recent.add(verdict, RecentSource(.secret, served.id, request.record))
        served.note.take(verdict)
        state.capture?.offer(verdict) { request.record.received(at: verdict.judgedAt) }
        switch answer {
        case .sealed(let text, let expiresIn, _):
            served.note.secrets = request.names
            return .json(JSONObject(["secrets": text, "expiresIn": expiresIn]).text)
        case .rejected(_, let responseCode):
            // Support finds in the log what the user reports.
            served.note.responseCode = responseCode
            let object = JSONObject([
                "error": Word.rejected.rawValue, "reasons": verdict.failed.map(\.name), "arc": responseCode,
                "remedy": verdict.remedy?.rawValue, "verdict": WrittenJSON(verdict.json(id: request.record.id)),
            ])
            return .json(object.text, .forbidden)
        }
    }

    private static func read(_ fields: RecordFields) throws(Problem) -> SecretRequest {
        do throws(RecordError) {
            guard let record = fields["record"] else { throw fields.missing("record") }
            guard let challenge = try fields.text("challenge", atMost: 64) else { throw fields.missing("challenge") }
            guard fields["names"] != nil else { throw fields.missing("names") }
            guard let key = try fields.jsonWebKey("jwk", JSONWebKey.agreementPoint) else { throw fields.missing("jwk") }
            return SecretRequest(
                record: try EvidenceRecord(record), challenge: challenge, names: try fields.texts("names"),
                publicKey: key)
        } catch {
            throw Problem(request: error)
        }
    }

    private func problem(_ error: VerificationError) -> Problem {
        guard case .request(let request) = error else { return Problem(error, retryAfter: configuration.retryAfter) }
        let (status, word): (HTTPResponse.Status, Word)
        switch request.reason {
        case .invalidSecretName: (status, word) = (.badRequest, .badKey)
        case .secretsDisabled: (status, word) = (.conflict, .disabled)
        case .unknownSecret: (status, word) = (.notFound, .unknownKey)
        default: return Problem(error, retryAfter: configuration.retryAfter)
        }
        var problem = Problem(status, ProblemCode(request), request.message)
        problem.word = word.rawValue
        return problem
    }
}
