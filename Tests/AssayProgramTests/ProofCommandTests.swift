import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay proof")
struct ProofCommandTests {
    private static let hardware = TestKey(.p256, seed: "assay command line", label: "hardware")
    private static let measurements = ApproovTestMeasurements(seed: "assay command line", label: "app")

    /// A folder with a policy, the keys of the hardware, and a record.
    private static func scratch(_ change: (inout ApproovClaimsBlueprint) -> Void = { $0.measure(measurements) }) throws
        -> Scratch
    {
        let scratch = try Scratch()
        let token = try TestApproov.token(.encrypted, change).token
        try scratch.writeApproov(
            "record.json", #"{"id":"m","kind":"approov.token","app":"lock","evidence":{"token":"\#(token)"}}"#)
        try scratch.write(
            "policy.yaml",
            Data(
                """
                version: 1
                keys: [{ name: now, use: approov, secret: "file:secret.b64" }]
                apps: [{ name: lock, approov: { keys: [now], format: jwe, failover: reject, proof: { life: 90d } } }]

                """.utf8))
        try scratch.writeSecret("hardware.pem", hardware.pem)
        try scratch.write("hardware.pub", Data(Base64.encode(hardware.subjectPublicKeyInfo(), .standard).utf8))
        return scratch
    }

    private static let token = ["proof", "token", "record.json", "--policy", "policy.yaml"]
    private static let open = ["proof", "open", "--hardware-key", "file:hardware.pem"]

    @Test("A measurement token from a record opens with the hardware's key, and proofs are judged with it")
    func roundTrip() throws {
        let scratch = try Self.scratch()
        let made = try scratch.run(Self.token + ["--hardware-key", "hardware.pub"])
        #expect(made.status == 0, "\(made.errors)\(made.output)")
        try scratch.write("sealed.txt", Data(made.output.utf8))
        let opened = try scratch.run(Self.open + ["sealed.txt"])
        let content = try #require(try opened.json().first, "\(opened.errors)")
        for (name, bytes) in [
            ("mpk", Self.measurements.proofKey), ("imh", Self.measurements.integrity),
            ("dmh", Self.measurements.device),
        ] {
            #expect(content[name] as? String == Base64.encode(bytes ?? [], .standard), "\(name)")
        }
        let (issued, expires) = (content["iat"] as? Int ?? 0, content["exp"] as? Int ?? 0)
        #expect(content["did"] as? String == TestApproov.deviceID && expires - issued == 90 * 86_400)

        let proof = ApproovProofBlueprint(deviceOf: Self.measurements, nonce: TestApproov.nonce)
        let judged = try scratch.run([
            "verify", "--kind", "approov.proof", "--nonce", Base64.encode(proof.nonce, .standard), "--proof",
            Base64.encode(proof.proof, .standard), "--sealed", "--hardware-key", "file:hardware.pem", "sealed.txt",
        ])
        #expect(judged.status == 0, "\(judged.errors)\(judged.output)")
        let late = try scratch.run(Self.open + ["--at", "2100-01-01T00:00:00Z", "sealed.txt"])
        #expect(late.status == 1 && late.errors.contains("expired"), "\(late.errors)")
        try scratch.writeSecret("hardware.pem", TestKey(.p256).pem)
        let other = try scratch.run(Self.open + ["sealed.txt"])
        #expect(other.status == 1 && other.errors.contains("another key") && other.output.isEmpty, "\(other.errors)")
    }

    @Test("What gives no measurement token, and what does not open, is said without a secret")
    func refused() throws {
        let scratch = try Self.scratch()
        let key = ["--hardware-key", "hardware.pub"]
        let table: [(arguments: [String], status: Int32, words: String)] = [
            (Self.token, 2, "proof.hardware"), (Self.token + ["--hardware-key", "hardware.pem"], 2, "PRIVATE KEY"),
            (Self.token + ["--hardware-key", "none"], 2, "none"),
            (["proof", "token", "policy.yaml", "--policy", "policy.yaml"] + key, 2, "policy.yaml"),
            (Self.open + ["record.json"], 2, "record.json"), (Self.open + ["none"], 2, "none"),
            (["proof", "open", "record.json"], 64, "--hardware-key"),
            (["proof", "open", "--hardware-key=\(Self.hardware.pem)", "record.json"], 64, "--hardware-key"),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == entry.status && run.errors.contains(entry.words), "\(entry.arguments): \(run.errors)")
            #expect(!(run.errors + run.output).contains(Self.hardware.pem.dropFirst(60).prefix(40)))
        }
        let without = try Self.scratch { _ in }.run(Self.token + key)
        #expect(without.status == 2 && without.errors.contains("no measurements"), "\(without.errors)")
        let expired = try Self.scratch {
            $0.measure(Self.measurements)
            $0[.expiry] = .integer(1)
        }.run(Self.token + key)
        let verdict = try #require(try expired.json().first, "\(expired.errors)")
        #expect(expired.status == 1 && verdict["outcome"] as? String == "reject")
    }
}
