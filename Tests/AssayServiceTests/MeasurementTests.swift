import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The step of the backend in Approov's Offline Security Mode, over HTTP.
@Suite("Measurement tokens over HTTP", .timeLimit(.minutes(10)))
struct MeasurementTests {
    private static let hardware = TestKey(.p256, seed: "assay service", label: "hardware")
    private static let measurements = ApproovTestMeasurements(seed: "assay service", label: "app")
    private static let jwk = String(decoding: AssayTokenBlueprint.jwk(hardware).encoded, as: UTF8.self)
    private static let info = Base64.encode(hardware.subjectPublicKeyInfo(), .standard)

    private static func start() throws -> RunningService {
        try RunningService { folder in
            try folder.write("approov.b64", try ApproovTestKeys(seed: "assay service", label: "api").secretFile)
            try #require(chmod(folder.path("approov.b64"), 0o600) == 0)
            let app = "approov: { keys: [now], failover: reject, maximumLifetime: 10m"
            try folder.write(
                "policy.yaml",
                """
                version: 1
                keys:
                  - { name: now, use: approov, secret: "file:approov.b64" }
                apps:
                  - name: lock
                    \(app), format: jwe, proof: { life: 90d } }
                  - name: car
                    \(app), format: jwe, proof: { hardware: "\(info)" } }
                  - name: plain
                    \(app) }
                  - name: lax
                    \(app), proof: { tokens: any } }

                """)
        }
    }

    private static func record(
        _ app: String, encrypted: Bool = true, measured: Bool = true, rejected: Bool = false
    ) throws -> String {
        let keys = try ApproovTestKeys(seed: "assay service", label: "api")
        var claims = ApproovClaimsBlueprint(expiresAt: Date().addingTimeInterval(300))
        if measured { claims.measure(measurements) }
        var blueprint = ApproovTokenBlueprint(keys: keys, claims: claims)
        blueprint.form = encrypted ? .encrypted : .signed
        let token = try (rejected ? blueprint.rejected() : blueprint).mint().token
        return #"{"id":"m","kind":"approov.token","app":"\#(app)","evidence":{"token":"\#(token)"}}"#
    }

    private static func ask(_ service: RunningService, _ record: String, _ more: String = "") throws -> HTTPAnswer {
        try service.send("POST", "/v1/measurements", body: #"{"record":\#(record)\#(more)}"#)
    }

    @Test("An accepted token gives measurements that only the hardware opens; log and verdict have digests alone")
    func sealing() throws {
        let service = try Self.start()
        let key = try MeasurementToken.PrivateKey(pem: SecretBytes(Array(Self.hardware.pem.utf8)))
        for (app, more) in [("lock", #","jwk":\#(Self.jwk)"#), ("car", "")] {
            let answer = try Self.ask(service, Self.record(app), more)
            #expect(answer.status == 201 && answer["cache-control"] == "no-store", "\(answer)")
            let text = try #require(answer.json["measurementToken"] as? String)
            let opened = try MeasurementToken(opening: text, with: key, at: Date())
            func bytes(_ secret: SecretBytes?) -> [UInt8]? { secret?.withUnsafeBytes { Array($0) } }
            #expect(bytes(opened.measurements.proofKey) == Self.measurements.proofKey)
            #expect(bytes(opened.measurements.integrity) == Self.measurements.integrity)
            #expect(bytes(opened.measurements.device) == Self.measurements.device)
            #expect((opened.expiresAt == nil) == (app == "car"))
            #expect(answer.json["expiresAt"] as? String == opened.expiresAt.map(RFC3339.format))
            #expect(!service.logText.contains(text))
        }
        let lax = try Self.ask(service, Self.record("lax", encrypted: false), #","jwk":\#(Self.jwk)"#)
        #expect(lax.status == 201, "\(lax)")
        let verdict = try service.send("POST", "/v1/verify", body: Self.record("lock"))
        let subject = try #require(verdict.json["subject"] as? [String: Any], "\(verdict)")
        for (name, bytes) in [
            ("integrityDigest", Self.measurements.integrity), ("deviceDigest", Self.measurements.device),
        ] {
            #expect(subject[name] as? String == Base64.encode(Digest.sha256(bytes ?? []), .standard), "\(subject)")
        }
        let secrets = [Self.measurements.proofKey, Self.measurements.integrity, Self.measurements.device]
        for secret in secrets {
            let forms = [Base64.encode(secret ?? [], .standard), Base64.encode(secret ?? [], .url)]
            for form in forms { #expect(!(service.logText + verdict.body).contains(form)) }
        }
    }

    @Test("What gives no measurement token: the answer says why, and names no secret")
    func refused() throws {
        let service = try Self.start()
        let jwk = #","jwk":\#(Self.jwk)"#
        let rejected = try Self.ask(service, Self.record("lock", rejected: true), jwk)
        #expect(rejected.status == 403 && rejected.json["outcome"] as? String == "reject", "\(rejected)")
        let table: [(record: String, more: String, status: Int, words: String)] = [
            (try Self.record("lock", measured: false), jwk, 422, "no measurements"),
            (try Self.record("plain", encrypted: false), jwk, 422, "only signed"),
            (try Self.record("lock"), "", 422, "proof.hardware"),
            (try Self.record("car"), jwk, 422, "leave the key out"),
            (try Self.record("none"), jwk, 422, "none"),
            (
                try Evidence.attestation("x").replacingOccurrences(of: #""app":"shop""#, with: #""app":"lock""#), jwk,
                422, "appAttest"
            ),
            (#"{"kind":"approov.token"}"#, jwk, 400, "evidence"), ("7", jwk, 400, "object"),
            (try Self.record("lock"), #","jwk":7"#, 400, "JSON Web Key"),
            (try Self.record("lock"), #","jwk":{"kty":"EC"}"#, 400, "crv"),
            (try Self.record("lock"), #","jwk":{"kty":"oct","k":"AAAA"}"#, 400, "P-256"),
            (try Self.record("lock"), jwk.replacingOccurrences(of: "}", with: #","d":"AAAA"}"#), 400, "private"),
            (try Self.record("lock"), jwk.replacingOccurrences(of: "}", with: #","use":"sig"}"#), 400, "enc"),
            (try Self.record("lock"), jwk.replacingOccurrences(of: "}", with: #","alg":"ES256"}"#), 400, "ECDH-ES"),
            (
                try Self.record("lock"), jwk.replacingOccurrences(of: "}", with: #","key_ops":["verify"]}"#), 400,
                "key_ops"
            ),
            (try Self.record("lock"), #","key":"x""#, 400, "unknown field"),
        ]
        for entry in table {
            let answer = try Self.ask(service, entry.record, entry.more)
            #expect(answer.status == entry.status && answer.body.contains(entry.words), "\(entry.more): \(answer)")
        }
    }
}
