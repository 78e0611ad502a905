import Assay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Nothing but declared don't-cares may be changed in accepted evidence.
struct AttestationMutationTests {
    /// Apple's published sample, which stands in the repository.
    private func sample() throws -> (input: AttestationInput, now: Date) {
        let file = TestVectors.folder.appendingPathComponent("app-attest/apple-guide-2026.json")
        let record = try #require(try RecordFile.read(Array(Data(contentsOf: file))).first).get()
        return (try AttestationInput(record.evidence), try #require(record.receivedAt))
    }

    private func expectations(_ receipt: CheckMode) throws -> AppAttestExpectations {
        let configuration = try AppAttestConfiguration(
            appIDs: ["1234567890.com.example.myapp"], environments: [.production], challenge: .caller,
            clientData: .none)
        return Fixtures.expectations(configuration, modes: [AttestationCheck.receipt: receipt])
    }

    /// The changed attestations that are accepted, by the byte and bit of the change.
    private func accepted(
        bytes: [Int], of input: AttestationInput, _ expectations: AppAttestExpectations, at now: Date
    ) async -> [String] {
        await withTaskGroup(of: [String].self) { group in
            for part in 0..<8 {
                group.addTask {
                    var found: [String] = []
                    var changed = input.attestation
                    for index in bytes where index % 8 == part {
                        for bit in 0..<8 {
                            changed[index] ^= 1 << bit
                            let assessment = AttestationAssessor.assess(
                                AttestationInput(
                                    keyID: input.keyID, attestation: changed, clientData: input.clientData),
                                expectations: expectations, now: now)
                            if assessment.holds { found.append("byte \(index), bit \(bit)") }
                            changed[index] ^= 1 << bit
                        }
                    }
                    return found
                }
            }
            // A few tell as much as thousands.
            return await Array(group.reduce(into: []) { $0 += $1 }.prefix(20))
        }
    }

    @Test("flip any bit of Apple's sample outside of the receipt's bytes: rejected")
    func everyBit() async throws {
        let (input, now) = try sample()
        let expectations = try expectations(.annotate)
        #expect(AttestationAssessor.assess(input, expectations: expectations, now: now).holds)
        let receipt = try #require(input.attestation.range(ofByteString: "receipt"))
        let bytes = input.attestation.indices.filter { !receipt.contains($0) }
        #expect(bytes.count > 1900)
        let found = await accepted(bytes: bytes, of: input, expectations, at: now)
        #expect(found == [])
    }

    @Test("with the receipt enforced, flip any bit of the receipt: rejected")
    func everyBitOfTheReceipt() async throws {
        let (input, now) = try sample()
        let expectations = try expectations(.enforce)
        #expect(AttestationAssessor.assess(input, expectations: expectations, now: now).holds)
        let receipt = try #require(input.attestation.range(ofByteString: "receipt"))
        let found = await accepted(bytes: Array(receipt), of: input, expectations, at: now)
        #expect(found == [])
    }

    @Test("cut Apple's sample at any length, or let anything follow: rejected")
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
            #expect(!AttestationAssessor.assess(longer, expectations: expectations, now: now).holds)
        }
    }

    @Test("flip any bit of the key identifier or the client data hash: rejected")
    func everyBitOfTheRequest() throws {
        let (input, now) = try sample()
        let expectations = try expectations(.annotate)
        guard case .hash(let hash) = input.clientData else { throw CocoaError(.featureUnsupported) }
        for bit in 0..<hash.count * 8 {
            var changed = hash
            changed[bit / 8] ^= 1 << (bit % 8)
            let assessment = AttestationAssessor.assess(
                AttestationInput(keyID: input.keyID, attestation: input.attestation, clientData: .hash(changed)),
                expectations: expectations, now: now)
            #expect(assessment.failed == [AttestationCheck.nonce])
        }
        for bit in 0..<input.keyID.count * 8 {
            var changed = input.keyID
            changed[bit / 8] ^= 1 << (bit % 8)
            let assessment = AttestationAssessor.assess(
                AttestationInput(keyID: changed, attestation: input.attestation, clientData: input.clientData),
                expectations: expectations, now: now)
            #expect(assessment.failed == [AttestationCheck.keyID])
        }
    }

    @Test("unsigned extra keys influence nothing")
    func extraKeys() throws {
        let expectations = Fixtures.expectations(try Fixtures.configuration())
        var blueprint = try Fixtures.attestation()
        let plain = AttestationAssessor.assess(
            Fixtures.input(try blueprint.mint()), expectations: expectations, now: Fixtures.now)
        blueprint.changeObject = { $0["cdHash"] = .bytes([UInt8](repeating: 7, count: 32)) }
        let extra = AttestationAssessor.assess(
            Fixtures.input(try blueprint.mint()), expectations: expectations, now: Fixtures.now)
        #expect(plain.holds && extra.holds)
        #expect(plain.checks.map(\.status) == extra.checks.map(\.status))
        #expect(plain.effects.map(\.check) == extra.effects.map(\.check))
    }
}

extension Assessment {
    /// The names of the failed checks.
    var failed: [CheckID] { checks.filter { $0.status == .failed }.map(\.check) }
}

extension [UInt8] {
    /// Where the contents of the CBOR byte string under a text key lie, when its length takes two bytes.
    func range(ofByteString key: String) -> Range<Int>? {
        let pattern = Array(key.utf8) + [0x59]
        guard
            let start = indices.first(where: { $0 + pattern.count + 2 <= count && self[$0...].starts(with: pattern) })
        else { return nil }
        let contents = start + pattern.count + 2
        return contents..<contents + (Int(self[contents - 2]) << 8 | Int(self[contents - 1]))
    }
}
