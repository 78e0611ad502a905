import AppAttest
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Effects of changes besides rejection. `MutationRunTests` tests that changes are rejected.
struct AttestationMutationTests {
    /// Apple's published sample, which is part of the repository.
    private func sample() throws -> (input: AttestationInput, now: Date) {
        let file = TestVectors.folder.appendingPathComponent("app-attest/apple-guide-2026.json")
        let record = try #require(try RecordFile.read(Array(Data(contentsOf: file))).first).get()
        return (try AttestationInput(record.evidence), try #require(record.receivedAt))
    }

    private func expectations(_ receipt: CheckMode) throws -> AppAttestExpectations {
        let configuration = try AppAttestConfiguration(
            appIDs: ["1234567890.com.example.myapp"], environments: [.production], challenge: .caller,
            clientData: .none)
        return Fixtures.expectations(configuration, modes: [.appAttestAttestationReceipt: receipt])
    }

    @Test("Apple's sample is rejected if it is truncated at any length, or followed by bytes")
    func everyLength() throws {
        let (input, now) = try sample()
        let expectations = try expectations(.annotate)
        for count in input.attestation.indices {
            let cut = AttestationInput(
                keyID: input.keyID, attestation: input.attestation.prefix(count), clientData: input.clientData)
            let assessment = AttestationAssessor.assess(cut, expectations: expectations, now: now)
            #expect(assessment.checks.first?.status == .failed, "cut to \(count) bytes")
        }
        for byte in UInt8.min...UInt8.max {
            let longer = AttestationInput(
                keyID: input.keyID, attestation: input.attestation + [byte], clientData: input.clientData)
            #expect(!AttestationAssessor.assess(longer, expectations: expectations, now: now).isAcceptable)
        }
    }

    @Test("unsigned extra keys have no effect")
    func extraKeys() throws {
        let expectations = Fixtures.expectations(try Fixtures.configuration())
        var blueprint = try Fixtures.attestation()
        let plain = AttestationAssessor.assess(
            Fixtures.input(try blueprint.mint()), expectations: expectations, now: Fixtures.now)
        blueprint.changeObject = { $0["cdHash"] = .bytes([UInt8](repeating: 7, count: 32)) }
        let extra = AttestationAssessor.assess(
            Fixtures.input(try blueprint.mint()), expectations: expectations, now: Fixtures.now)
        #expect(plain.isAcceptable && extra.isAcceptable)
        #expect(plain.checks.map(\.status) == extra.checks.map(\.status))
        #expect(plain.effects.map(\.check) == extra.effects.map(\.check))
    }
}

extension Assessment {
    /// The names of the failed checks.
    var failed: [CheckID] { checks.filter { $0.status == .failed }.map(\.check) }
}
