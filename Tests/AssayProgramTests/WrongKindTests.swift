import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify, evidence of another kind")
struct WrongKindTests {
    /// The files of one scratch folder, by kind.
    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("root.pem", Data(TestEvidence.authority().rootPEM.utf8))
        try scratch.write("attestation.bin", TestEvidence.attestation().attestation)
        let encoded = Data(try TestEvidence.attestation().attestation).base64EncodedString()
        try scratch.write("attestation.b64", Data(encoded.utf8))
        try scratch.write("assertion.bin", TestEvidence.assertion(counter: 5).assertion)
        try scratch.writeClassicToken()
        try scratch.writeStandardAnswer()
        try scratch.writeApproov("approov.txt", TestApproov.token().token)
        try scratch.writeApproov("encrypted.txt", TestApproov.token(.encrypted).token)
        try scratch.write("request.http", Data(TestApproov.request().utf8))
        try scratch.write("record.json", Data(TestEvidence.attestationLine("x").utf8))
        try scratch.write("key.pem", Data(TestKey(.p256, seed: "wrong kind", label: "private").pem.utf8))
        return scratch
    }

    private func arguments(_ kind: String, _ file: String) throws -> [String] {
        let point = Data(TestEvidence.key.publicPoint).base64EncodedString()
        let options: [String: [String]] = [
            "app-attest.attestation": VerifyRawTests.common + ["--challenge", "challenge"],
            "app-attest.assertion": VerifyRawTests.common + [
                "--client-data", "challenge", "--public-key", point, "--counter", "1",
            ],
            "app-attest.receipt": VerifyRawTests.common,
            "play-integrity.classic": [
                "--package-name", TestTokens.packageName, "--nonce", TestTokens.nonce, "--certificate-digest",
                TestTokens.hexDigest, "--decryption-key", "file:d", "--verification-key", "file:v",
            ],
            "approov.token": ["--secret", "file:secret.b64"],
            "approov.message": [
                "--secret", "file:secret.b64", "--signer", "installation", "--target-uri", TestApproov.targetURI,
            ],
        ]
        return try ["verify", "--kind", kind, file] + #require(options[kind])
    }

    @Test("Evidence of another kind is still refused, and the message names its kind and option")
    func evidence() throws {
        let scratch = try scratch()
        let table: [(given: String, file: String, kind: String)] = [
            ("app-attest.assertion", "attestation.bin", "app-attest.attestation"),
            ("app-attest.assertion", "attestation.b64", "app-attest.attestation"),
            ("app-attest.receipt", "attestation.bin", "app-attest.attestation"),
            ("app-attest.attestation", "assertion.bin", "app-attest.assertion"),
            ("app-attest.attestation", "token.txt", "play-integrity.classic"),
            ("app-attest.attestation", "approov.txt", "approov.token"),
            ("play-integrity.classic", "approov.txt", "approov.token"),
            ("play-integrity.classic", "encrypted.txt", "approov.token"),
            ("play-integrity.classic", "attestation.b64", "app-attest.attestation"),
            ("play-integrity.classic", "answer.json", "play-integrity.standard"),
            ("approov.token", "token.txt", "play-integrity.classic"),
            ("approov.token", "attestation.bin", "app-attest.attestation"),
            ("approov.token", "request.http", "approov.message"),
            ("approov.message", "approov.txt", "approov.token"),
        ]
        for entry in table {
            for option in [[], ["--json"]] {
                let run = try scratch.run(arguments(entry.given, entry.file) + option)
                #expect(run.status != 0, "\(entry)")
                let text = option.isEmpty ? run.output + run.errors : run.errors
                #expect(text.contains("give --kind \(entry.kind)"), "\(entry): \(text)")
            }
        }
    }

    @Test("A record and a key in place of a raw blob are recognised")
    func others() throws {
        let scratch = try scratch()
        let record = try scratch.run(arguments("app-attest.attestation", "record.json"))
        #expect(record.status == 1)
        #expect(record.output.contains("this is an evidence record: give --policy instead of --kind"))
        let key = try scratch.run(arguments("approov.token", "key.pem"))
        #expect(key.status == 1)
        #expect(key.output.contains("inspection recognises this as something else: PEM"), "\(key.output)")
    }

    @Test("No kind is suggested for evidence of the given kind, whether accepted, rejected or broken")
    func fitting() throws {
        let scratch = try scratch()
        try scratch.write("broken.bin", TestEvidence.attestation().attestation.dropLast(10))
        let table: [(arguments: [String], status: Int32)] = [
            (try arguments("app-attest.attestation", "attestation.bin"), 0),
            (try arguments("app-attest.attestation", "broken.bin"), 1),
            (["verify", "--kind", "app-attest.attestation", "attestation.bin"] + VerifyRawTests.common, 64),
            (try arguments("approov.token", "approov.txt"), 0), (TestTokens.classic(), 0),
            (TestTokens.classic(packageName: "com.example.other"), 1), (TestTokens.standard(requestHash: "other"), 1),
            // An Approov token carries the measurements of a proof.
            (
                [
                    "verify", "--kind", "approov.proof", "--secret", "file:secret.b64", "--nonce",
                    "AAAAAAAAAAAAAAAAAAAAAA==", "--proof", Data(repeating: 1, count: 32).base64EncodedString(),
                    "approov.txt",
                ], 1
            ),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == entry.status, "\(entry.arguments): \(run.errors)\(run.output)")
            let text = run.output + run.errors
            #expect(!text.contains("another kind") && !text.contains("recognises"), "\(entry.arguments): \(text)")
        }
    }

    @Test("Without --kind, the error names the kind of a raw blob and its option, with or without --policy")
    func missing() throws {
        let scratch = try scratch()
        let table = [
            ("attestation.bin", "app-attest.attestation"), ("attestation.b64", "app-attest.attestation"),
            ("assertion.bin", "app-attest.assertion"), ("token.txt", "play-integrity.classic"),
            ("answer.json", "play-integrity.standard"), ("approov.txt", "approov.token"),
            ("request.http", "approov.message"),
        ]
        for (file, kind) in table {
            let bare = try scratch.assay("verify", file)
            #expect(bare.status == 64)
            #expect(bare.errors.contains("needs --kind instead. \(file): it is \(kind) ("), "\(bare.errors)")
            #expect(bare.errors.contains("give --kind \(kind)"), "\(bare.errors)")
        }
        // Standard input can be read once.
        let piped = try scratch.shell("cat approov.txt | \"$ASSAY\" verify -")
        #expect(piped.status == 64 && piped.errors.contains("it is approov.token ("), "\(piped.errors)")
        for file in ["record.json", "key.pem", "nothing"] {
            let run = try scratch.assay("verify", file)
            #expect(run.status == 64 && run.errors.contains("instead\n"), "\(file): \(run.errors)")
        }
        // A policy.yaml beside the input is found.
        try scratch.policy()
        // A request with a JSON body is read as one record per line.
        for (file, kind) in table where file != "request.http" {
            for policy in [[], ["--policy", "policy.yaml"]] {
                let judged = try scratch.run(["verify"] + policy + [file])
                #expect(judged.status == 2)
                #expect(judged.errors.contains("; it is \(kind) (") && judged.errors.contains("give --kind \(kind)"))
            }
        }
    }

    @Test("A record with evidence of another kind is rejected, and the hint names the field and the kind")
    func record() throws {
        let scratch = try scratch()
        try scratch.policy()
        let blob = Data(try TestEvidence.assertion(counter: 5).assertion).base64EncodedString()
        try scratch.write(
            "swapped.json",
            Data(
                """
                {"kind": "app-attest.attestation", "evidence": {"keyId": "\(TestEvidence.keyID)",
                 "attestation": "\(blob)", "challenge": "AAAA"}}
                """.utf8))
        let run = try scratch.assay("verify", "--policy", "policy.yaml", "swapped.json")
        #expect(run.status == 1, "\(run.errors)")
        #expect(
            run.output.contains("evidence.attestation holds another kind of evidence: app-attest.assertion"),
            "\(run.output)")
    }
}
