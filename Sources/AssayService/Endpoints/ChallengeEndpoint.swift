import Assay
import AssayCore
import AssayPrimitives
import FoundationEssentials
import HTTPTypes

/// `POST /v1/challenges`: issues a challenge that can be used once.
struct ChallengeEndpoint: Sendable {
    private static let bodyLimit = 4096

    let state: ServiceState
    let configuration: ServiceConfiguration
    let rates: ChallengeRates

    init(state: ServiceState, configuration: ServiceConfiguration) {
        self.state = state
        self.configuration = configuration
        let start = ContinuousClock.now
        rates = ChallengeRates(rate: configuration.limits.challenges) { start.duration(to: .now) }
    }

    var endpoint: Endpoint {
        Endpoint(
            .post, "/v1/challenges", .right(.verify), "issueChallenge",
            "Issues a challenge that can be used once, for policies with `challenge: ledger`.",
            body: .json(
                [
                    "app": .string(min: 1, max: 128, "An app of the policy."),
                    "kind":
                        #"{"type":"string","minLength":1,"maxLength":128,"description":"The kind of evidence that will carry it.","examples":["app-attest.attestation"]}"#,
                ], required: 2),
            success: 201, outcome: "The challenge.",
            content: .json([
                "challenge":
                    #"{"type":"string","description":"33 random bytes as base64url without padding; for approov.proof 16, a nonce. The app may hash this text, or the bytes."}"#,
                "app": .string(), "kind": .string(), "expiresAt": .time,
            ]), problems: [422, 429]
        ) { (served) async throws(Problem) in
            let fields = try await served.fields(
                ["app", "kind"], upTo: Self.bodyLimit, within: configuration.limits.bodyTime)
            let (app, kind) = try Self.read(fields)
            served.note.app = app
            served.note.kind = kind.name
            return try await issue(app, kind)
        }
    }

    private static func read(_ fields: RecordFields) throws(Problem) -> (app: String, kind: EvidenceKind) {
        do throws(RecordError) {
            guard let app = try fields.text("app", atMost: InputLimits.recordName) else { throw fields.missing("app") }
            guard let kind = try fields.text("kind", atMost: InputLimits.recordName) else {
                throw fields.missing("kind")
            }
            return (app, EvidenceKind(kind))
        } catch {
            throw Problem(request: error)
        }
    }

    private func issue(_ app: String, _ kind: EvidenceKind) async throws(Problem) -> Response {
        let verifier = state.verifier
        let isCallers: Bool
        do throws(VerificationError) { isCallers = try verifier.leavesChallengesToCaller(of: kind, app: app) } catch {
            throw Problem(error, retryAfter: configuration.retryAfter)
        }
        guard !isCallers else {
            throw Problem(
                .unprocessableContent, .challengesOfCaller,
                "the policy of app \(app.excerpt) leaves challenges for \(kind.name) to the caller, so that no ledger would "
                    + "consume one")
        }
        try rates.take(app, kind)
        let challenge: IssuedChallenge
        do throws(VerificationError) {
            challenge = try await verifier.issueChallenge(app: app, for: kind, at: Date())
        } catch {
            throw Problem(error, retryAfter: configuration.retryAfter)
        }
        var object = JSONObject()
        object.add("challenge", text: challenge.text)
        object.add("app", text: app)
        object.add("kind", text: kind.name)
        object.add("expiresAt", text: RFC3339.format(challenge.expiresAt))
        return .json(object.text, .created)
    }
}
