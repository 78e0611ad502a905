import AndroidKey
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

@Suite("Records and inspection of chains")
struct AndroidKeyRecordTests {
    private func read(_ evidence: String) -> Result<EvidenceRecord, RecordFile.Unreadable>? {
        RecordFile.read(
            Array(#"{"id": "r", "kind": "android-key.attestation", "app": "shop", "evidence": \#(evidence)}"#.utf8)
        ).first
    }

    @Test("a composed record gives the same input, and names the status list of its verdict")
    func composition() async throws {
        var blueprint = AndroidStatusListBlueprint()
        blueprint.add("ff", status: .revoked)
        let list = try AttestationStatusList(json: blueprint.json, fetchedAt: nil)
        let input = try Fixtures.blueprint().mint().input
        let verdict = try await judge(input, under: Fixtures.configuration(statusList: .file(list)))
        let record = EvidenceRecord(input, verdict: verdict, id: "1", app: "shop", receivedAt: Fixtures.time)
        let again = try #require(RecordFile.read(Array(record.jsonLine.utf8)).first).get()
        let (found, reference) = try KeyAttestationInput.read(again.evidence)
        #expect(found.certificates == input.certificates)
        #expect(found.challenge == input.challenge)
        #expect(reference?.digest == list.digest)
        #expect(AndroidKeyEngine.orderingKey(of: again)?.hasPrefix("android-key ") == true)
    }

    @Test("evidence of another form is no record")
    func refusals() async throws {
        let verifier = try Fixtures.verifier(Fixtures.configuration())
        for evidence in [
            "{}", #"{"certificates": []}"#, #"{"certificates": "MA==", "challenge": "AA=="}"#,
            #"{"certificates": [1], "challenge": "AA=="}"#, #"{"certificates": ["MA="], "challenge": "AA=="}"#,
            #"{"certificates": ["-----BEGIN"], "challenge": "AA=="}"#, #"{"certificates": ["MA=="], "challenge": ""}"#,
            #"{"certificates": ["MA=="], "challenge": "AA==", "publicKey": 1}"#,
            #"{"certificates": ["MA=="], "challenge": "AA==", "key": "AA=="}"#,
        ] {
            let record = try #require(read(evidence)).get()
            await #expect(throws: VerificationError.self, "\(evidence)") {
                try await verifier.verify(record, at: Fixtures.time)
            }
        }
        // Anything of the right form is evidence, and has a verdict.
        let record = try #require(read(#"{"certificates": ["MA=="], "challenge": "AA=="}"#)).get()
        #expect(outcome(try await verifier.verify(record, at: Fixtures.time)) == "decode truncated")
    }

    @Test("among several apps, the package selects one, and evidence that cannot be read is rejected")
    func selection() async throws {
        func configuration(_ package: String) throws -> AndroidKeyConfiguration {
            let roots = try Fixtures.configuration().testRoots
            return try AndroidKeyConfiguration(
                packages: [package], certificateDigests: [Fixtures.digest], challenge: .caller, statusList: .none
            ) { $0.testRoots = roots }
        }
        let policy = try VerificationPolicy(
            apps: [
                PolicyApp(name: "other", configuration("com.example.other")),
                PolicyApp(name: "shop", configuration(Fixtures.package)),
            ], catalogue: Verifier.catalogue)
        let verifier = Verifier(policy: policy, ledger: MemoryLedger())
        let input = try Fixtures.blueprint().mint().input
        let found = try await verifier.verify(input, at: Fixtures.time)
        #expect(found.app == "shop")
        #expect(outcome(found) == "accept")
        let undecodable = try await verifier.verify(
            KeyAttestationInput(certificates: [[0x30]], challenge: [1]), at: Fixtures.time)
        #expect(outcome(undecodable) == "decode truncated")
        let unreadable = try await verifier.verify(
            Fixtures.blueprint().with { $0.description.changeFields = { Array($0.dropLast()) } }.mint().input,
            at: Fixtures.time)
        #expect(outcome(unreadable) == "extension truncated")
        let stranger = try Fixtures.blueprint().with {
            $0.description.softwareEnforced[.attestationApplicationID] = .octets(
                ApplicationIDBlueprint(packages: [.init("com.example.third", version: 1)], digests: []).encoded)
        }.mint().input
        await #expect(throws: VerificationError.self) {
            try await verifier.verify(stranger, at: Fixtures.time)
        }
    }

    private func texts(_ annotation: Annotation) -> [String] {
        ["\(annotation.name): \(annotation.value ?? "") (\(annotation.meaning ?? ""))"]
            + annotation.children.flatMap(texts)
    }

    @Test("inspection names every tag, its value, its meaning and its list", arguments: ["PEM", "DER", "record"])
    func inspection(form: String) throws {
        let minted = try Fixtures.blueprint(.remote).mint()
        let bytes: [UInt8] =
            switch form {
            case "PEM": Array(minted.pem.utf8)
            case "DER": minted.certificates.flatMap { $0 }
            default: Array(minted.record(id: "1").jsonLine.utf8)
            }
        let layer = EngineRegistry.standard.inspector.inspect(bytes, name: form)
        let chain = form == "record" ? try #require(layer.nested.first) : layer
        #expect(chain.format == "Android Key Attestation chain")
        #expect(chain.nested.count == 5)
        #expect(chain.nested.allSatisfy { $0.violation == nil })
        let leaf = try #require(chain.nested.first).annotations.flatMap(texts)
        for line in [
            "attestationVersion: 400 (Android 16)",
            "keyMintSecurityLevel: 1 (trustedEnvironment: where the key is kept)",
            "[1] purpose: 2, 3 (what the key may be used for: sign, verify)",
            "[702] origin: 0 (where the key comes from: generated)",
            "[705] osVersion: 160000 (the version of Android: 160000 is 16.0.0: Android 16.0.0)",
            "verifiedBootState: 0 (verified)", "package: \"com.example.shop\" (version code 42)",
        ] { #expect(leaf.contains(line), "\(line) in \(leaf.joined(separator: "\n"))") }
        let issuer = chain.nested[1].annotations.flatMap(texts)
        #expect(issuer.contains { $0.hasPrefix("1: 16 (certificates issued") }, "\(issuer.joined(separator: "\n"))")
        #expect(EngineRegistry.standard.inspector.kind(of: chain) == .androidKeyAttestation)
        #expect(EngineRegistry.standard.inspector.record(of: chain) != nil)
    }

    @Test("inspection marks an issuer that is an attested key")
    func extended() throws {
        var blueprint = try Fixtures.blueprint()
        blueprint.extend(forging: try AndroidAttestedKey(seed: "attacker", label: "key"))
        let layer = EngineRegistry.standard.inspector.inspect(Array(try blueprint.mint().pem.utf8), name: "chain.pem")
        #expect(layer.annotations.count == 5)
        #expect(layer.annotations[1].violation?.contains("extended the chain") == true)
        #expect(layer.annotations[0].violation == nil)
    }

    @Test("broken chains are inspected as far as they go")
    func broken() throws {
        let minted = try Fixtures.blueprint().mint()
        let der = minted.certificates.flatMap { $0 }
        for count in stride(from: 0, to: der.count, by: 97) {
            _ = EngineRegistry.standard.inspector.inspect(Array(der.prefix(count)), name: "cut")
        }
    }
}
