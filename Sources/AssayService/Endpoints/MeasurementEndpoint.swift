import Approov
import Assay
import AssayCore
import FoundationEssentials
import HTTPTypes

/// `POST /v1/measurements`: a measurement token for offline hardware (Approov, Offline Security Mode, Backend Integration).
struct MeasurementEndpoint: Sendable {
    let state: ServiceState
    let configuration: ServiceConfiguration

    var endpoint: Endpoint {
        Endpoint(
            .post, "/v1/measurements", .right(.verify), "sealMeasurements",
            "Verifies an Approov token that carries measurements, and seals them for offline hardware.",
            body: .json(
                [
                    "record": .reference("schemas/Record"),
                    "jwk":
                        #"{"type":"object","description":"The public key of the hardware, P-256, unless `proof.hardware` of the policy names it. Never take it from the app."}"#,
                ], required: 1),
            success: 201, outcome: "The measurement token.",
            content: .json(
                [
                    "measurementToken": .string("A compact JWE: ECDH-ES on P-256, A256GCM."),
                    "expiresAt": .string("Missing without `proof.life`."),
                ], required: 1),
            answers: [
                403: .answer(
                    "The verdict that rejects the evidence; or a problem of the caller's role.",
                    [
                        "application/json": .reference("schemas/Verdict"),
                        "application/problem+json": .reference("schemas/Problem"),
                    ])
            ], problems: [422, 500], seal)
    }

    private func seal(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let limits = configuration.limits
        let (record, hardware): (EvidenceRecord, MeasurementToken.PublicKey?)
        do throws(Problem) {
            (record, hardware) = try Self.read(
                try await served.fields(["record", "jwk"], upTo: limits.body, within: limits.bodyTime))
        } catch {
            state.recent.add(error, RecentSource(.measurement, served.id))
            throw error
        }
        served.note.take(record)
        let answer: MeasurementAnswer
        do throws(VerificationError) {
            answer = try await state.verifier.sealMeasurements(of: record, for: hardware, at: Date())
        } catch {
            state.recent.add(error, RecentSource(.measurement, served.id, record))
            throw Problem(error, retryAfter: configuration.retryAfter)
        }
        let verdict =
            switch answer {
            case .sealed(_, _, let verdict), .rejected(let verdict): verdict
            }
        state.recent.add(verdict, RecentSource(.measurement, served.id, record))
        served.note.take(verdict)
        state.capture?.offer(verdict) { record.received(at: verdict.judgedAt) }
        guard case .sealed(let text, let expiresAt, _) = answer else {
            return .json(verdict.jsonBytes(id: record.id), .forbidden)
        }
        return .json(JSONObject(["measurementToken": text, "expiresAt": expiresAt]).text, .created)
    }

    private static func read(
        _ fields: RecordFields
    ) throws(Problem) -> (EvidenceRecord, MeasurementToken.PublicKey?) {
        do throws(RecordError) {
            guard let record = fields["record"] else { throw fields.missing("record") }
            return (try EvidenceRecord(record), try fields.jsonWebKey("jwk", MeasurementToken.PublicKey.init(jwk:)))
        } catch {
            throw Problem(request: error)
        }
    }
}
