import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

@Suite("Revocation of certificates")
struct RevocationTests {
    private struct Source: AttestationStatusSource {
        let list: Result<AttestationStatusList, StatusListOutage>

        func statusList(
            at now: Date, maximumAge: Double
        ) async throws(StatusListOutage) -> AttestationStatusList { try list.get() }
    }

    private func verdict(
        _ device: AndroidKeyDevice = .remote, _ fill: (inout AndroidStatusListBlueprint, [Certificate]) -> Void
    ) async throws -> Verdict {
        let minted = try Fixtures.blueprint(device).mint()
        let certificates = try minted.certificates.map { try Certificate(der: $0[...], profile: .keystore) }
        var list = AndroidStatusListBlueprint()
        list.add("ffffffffffffffff", status: .revoked)
        fill(&list, certificates)
        let rule = AttestationStatusRule.file(try AttestationStatusList(json: list.json, fetchedAt: nil))
        return try await judge(minted.input, under: Fixtures.configuration(statusList: rule))
    }

    @Test("every certificate but the leaf is looked up, in hexadecimal and decimal, and a suspension counts")
    func serials() async throws {
        for index in 1..<5 {
            for form in [AndroidStatusListBlueprint.SerialNumberForm.hexadecimal, .decimal] {
                for (status, code) in [
                    (AndroidStatusListBlueprint.Status.revoked, "certificate-revoked"),
                    (.suspended, "certificate-suspended"),
                ] {
                    let verdict = try await verdict { list, certificates in
                        list.add(
                            serialNumber: Array(certificates[index].serialNumber), form: form, status: status,
                            reason: .keyCompromise)
                    }
                    #expect(outcome(verdict) == "revocation \(code)", "certificate \(index), \(form)")
                    let detail = verdict.checks.first { $0.status == .failed }?.finding?.detail ?? ""
                    #expect(detail.hasPrefix("certificate \(index) is "))
                }
            }
        }
        // All leaves have the serial number 1.
        let leaf = try await verdict { list, _ in list.add("1", status: .revoked) }
        #expect(outcome(leaf) == "accept")
    }

    @Test("one digit off is another certificate")
    func neighbours() async throws {
        let verdict = try await verdict { list, certificates in
            var serial = Array(certificates[1].serialNumber)
            serial[serial.count - 1] ^= 1
            list.add(serialNumber: serial, status: .revoked)
            list.add(serialNumber: Array(certificates[1].serialNumber.dropLast()), status: .revoked)
        }
        #expect(outcome(verdict) == "accept")
        #expect(verdict.androidKey?.statusListSHA256?.count == 32)
    }

    @Test("a batch is revoked by the serial number in its subject")
    func subjects() async throws {
        let oid = ObjectIdentifier(2, 5, 4, 5)
        let verdict = try await verdict(.factory) { list, certificates in
            list.add(certificates[1].subjectTexts(oid).first ?? "", status: .revoked)
        }
        #expect(outcome(verdict) == "revocation certificate-revoked")
    }

    @Test("without the list there is no verdict, except on evidence that is false anyway")
    func outage() async throws {
        let outage = StatusListOutage(.statusListMissing, "no list")
        let configuration = try Fixtures.configuration(statusList: .service(maximumAge: 3600))
        let minted = try Fixtures.blueprint().mint()
        let verifier = try Fixtures.verifier(configuration, services: [Source(list: .failure(outage))])
        await #expect(throws: VerificationError.self) {
            try await verifier.verify(minted.input, at: Fixtures.time)
        }
        let forged = KeyAttestationInput(certificates: minted.certificates, challenge: [1])
        let verdict = try await verifier.verify(forged, at: Fixtures.time)
        #expect(outcome(verdict) == "challenge-binding challenge-differs")
        let unlocked = try await verifier.verify(
            Fixtures.blueprint(.factory).with { $0.description.hardwareEnforced[.rootOfTrust] = nil }.mint().input,
            at: Fixtures.time)
        #expect(outcome(unlocked) == "root-of-trust root-of-trust-missing")
        #expect(
            unlocked.checks.contains { $0.check.name == "android-key.attestation.revocation" && $0.status == .skipped })
        // Where the check is off, no list is needed.
        let lax = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", configuration)], modes: [.androidKeyAttestationRevocation: .off],
            catalogue: Verifier.catalogue)
        let off = try await Verifier(
            policy: lax, ledger: MemoryLedger(), services: [Source(list: .failure(outage))]
        ).verify(minted.input, at: Fixtures.time)
        #expect(outcome(off) == "accept")
        // A verifier that cannot have a list is set up wrongly.
        let none = try Fixtures.verifier(configuration)
        await #expect(throws: VerificationError.self) {
            try await none.verify(minted.input, at: Fixtures.time)
        }
        let blueprint = AndroidStatusListBlueprint.of("ff")
        let list = try AttestationStatusList(json: blueprint.json, fetchedAt: Fixtures.time.addingTimeInterval(-60))
        let accepted = try await Fixtures.verifier(configuration, services: [Source(list: .success(list))])
            .verify(minted.input, at: Fixtures.time)
        #expect(outcome(accepted) == "accept")
        #expect(accepted.androidKey?.statusListFetchedAt == Fixtures.time.addingTimeInterval(-60))
    }
}

extension AndroidStatusListBlueprint {
    /// A list of one revoked serial number.
    fileprivate static func of(_ serial: String) -> AndroidStatusListBlueprint {
        var list = AndroidStatusListBlueprint()
        list.add(serial, status: .revoked)
        return list
    }
}

extension AndroidKeyAttestationBlueprint {
    /// A changed copy.
    func with(_ change: (inout AndroidKeyAttestationBlueprint) -> Void) -> AndroidKeyAttestationBlueprint {
        var copy = self
        change(&copy)
        return copy
    }
}
