import AndroidKey
import Assay
import AssayCore
import AssayTestSupport
import Foundation
import Testing

/// Chains of real phones, and minted ones from elsewhere.
@Suite("Shared vectors of Android Key Attestation", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct AndroidKeySharedVectorTests {
    private func folder(_ name: String) throws -> (
        policy: VerificationPolicy, records: [Result<EvidenceRecord, RecordFile.Unreadable>]
    ) {
        let folder = "vectors/android-key/\(name)"
        let path = try #require(SharedFiles.root).appendingPathComponent("\(folder)/policy.yaml").path
        return (try PolicyFile.load(path: path), RecordFile.read(Array(try SharedFiles.data("\(folder)/records.json"))))
    }

    @Test(
        "every record gives its outcome and its failed checks",
        arguments: [("captures", 55, 55), ("captures-huawei", 2, 2), ("minted", 65, 14)])
    func records(name: String, count: Int, accepted: Int) async throws {
        let (policy, records) = try folder(name)
        #expect(records.count == count)
        var found = 0
        for result in records {
            guard case .success(let record) = result else {
                Issue.record("\(result)")
                continue
            }
            let expected = try #require(record.expect)
            do {
                let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
                    record, at: try #require(record.receivedAt))
                let codes = verdict.checks.filter { $0.status == .failed }.map {
                    "\($0.check) \($0.finding?.code ?? ""): \($0.finding?.detail ?? "")"
                }
                #expect(expected.isMet(by: verdict), "\(record.id ?? "?"): \(codes)")
                if verdict.outcome == .accept { found += 1 }
            } catch {
                // The record itself is wrong: no kind of verdict.
                #expect(record.id == "challenge-empty", "\(record.id ?? "?"): \(error)")
                guard case .record? = error as? VerificationError else { throw error }
            }
        }
        #expect(found == accepted)
    }

    @Test(
        "every capture has the facts that were read of it elsewhere",
        arguments: [("captures", 55), ("captures-huawei", 2)])
    func subjects(name: String, count: Int) async throws {
        let (policy, records) = try folder(name)
        let expected = try #require(
            JSONSerialization.jsonObject(with: SharedFiles.data("vectors/android-key/\(name)/subjects.json"))
                as? [String: [String: Any]])
        #expect(expected.count == records.count)
        var compared = 0
        for result in records {
            let record = try result.get()
            let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
                record, at: try #require(record.receivedAt))
            let json = try #require(
                JSONSerialization.jsonObject(with: Data(verdict.json(id: nil).utf8)) as? [String: Any])
            let subject = try #require(json["subject"] as? [String: Any])
            let facts = try #require(expected[record.id ?? ""])
            #expect(!verdict.annotated.contains(.androidKeyAttestationConsistency), "\(record.id ?? "?")")
            for (name, value) in facts where !["source", "device", "androidVersion"].contains(name) {
                let found = subject[name] as? NSObject
                #expect(
                    found == value as? NSObject,
                    "\(record.id ?? "?"), \(name): \(String(describing: found)), expected \(value)")
                compared += 1
            }
        }
        #expect(compared > count * 17)
    }

    private struct Suite: Decodable {
        let count: Int
        let certs: [Data]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let kind: String
            let chain: [Int]
        }
    }

    /// What becomes of each chain of android/keyattestation under a policy that admits its apps. The devices are unlocked, and their
    /// patch levels of no interest: the first failed check says how far a chain gets.
    @Test(
        "the chains of android/keyattestation pass or fail by the named check",
        .produces("android-key.attestation.chain", "software-root"))
    func suite() async throws {
        let suite = try SharedFiles.json("suites/androidkey/keyattestation.json", as: Suite.self)
        #expect(suite.cases.count == suite.count)
        let unlocked = "root-of-trust device-unlocked"
        let expected = [
            "akita/sdk34/SB_RSA_NONE": unlocked, "akita/sdk34/TEE_EC_NONE": unlocked,
            "akita/sdk34/TEE_RSA_BASE+IMEI": unlocked, "akita/sdk34/TEE_RSA_NONE": unlocked,
            "akita/sdk34/TEE_RSA_NONE_USERAUTH": unlocked, "blueline/sdk28/SB_RSA_NONE": unlocked,
            "blueline/sdk28/SB_RSA_NONE_USERAUTH": unlocked, "blueline/sdk28/TEE_EC_NONE": unlocked,
            "blueline/sdk28/TEE_RSA_BASE+IMEI": unlocked, "blueline/sdk28/TEE_RSA_NONE": unlocked,
            "caiman/sdk36/SB_EC_RKP": "accept", "caiman/sdk36/TEE_EC_RKP": "accept",
            "marlin/sdk29/TEE_EC_NONE": "chain software-root", "marlin/sdk29/TEE_RSA_NONE": "chain software-root",
            "sony-xperia10-iii/sdk33/TEE_EC": "accept", "tegu/sdk36/SB_EC_2026_ROOT": "accept",
            "tegu/sdk36/TEE_EC_2026_ROOT": "accept", "tegu/sdk37/TEE_MAX_USAGE_COUNT": unlocked,
            "tegu/sdk37/TEE_TRUSTED_CONF": unlocked, "tokay/sdk37/TEE_MLDSA_FACTORY": "public-key key-unsupported",
            "tokay/sdk37/TEE_MLDSA_RKP": "public-key key-unsupported",
            // Google's own test reads the lock state 01 as locked.
            "invalid/malformed_rot_device_locked": "application package-not-allowed",
            "invalid/tags_not_in_ascending_order": "chain bad-signature",
            "allow_while_on_body": "chain chain-too-short", "p256_sha384_intermediate": "chain untrusted",
        ]
        let policy = try PolicyFile.parse(
            """
            version: 1
            apps:
              - name: suite
                androidKey:
                  packages: [com.google.wireless.android.security.attestationverifier.collector,
                             com.google.android.attestation, com.android.vending, android.keystore.cts]
                  certificateDigests: [EDk47kU35Z6O55L2VFBPuDRvxrNG0LvEQV_DOfz8jsE, 8P1sW0EPJcslw7UzRsiXL64w-O50Ed-RBICtay1g24M]
                  challenge: caller
                  statusList: none
            """, path: "suite.yaml")
        for test in suite.cases {
            let chain = test.chain.map { Array(suite.certs[$0]) }
            let record = try #require(AndroidKeyRecord.withOwnChallenge(chain))
            let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
                record, at: AndroidKeyRecord.time(of: chain))
            #expect(
                outcome(verdict) == expected[test.id],
                "\(test.id): \(verdict.checks.first { $0.status == .failed }?.finding?.detail ?? "")")
        }
    }
}
