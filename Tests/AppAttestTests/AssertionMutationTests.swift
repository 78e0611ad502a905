import AppAttest
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// Every change of an accepted assertion is rejected.
struct AssertionMutationTests {
    private struct Subject {
        let input: AssertionInput
        let key: AssertionKeys
        let expectations: AppAttestExpectations

        func assess(
            _ assertion: [UInt8], keyID: [UInt8]? = nil, clientData: ClientDataInput? = nil
        ) -> Assessment {
            AssertionAssessor.assess(
                AssertionInput(
                    keyID: keyID ?? input.keyID, assertion: assertion, clientData: clientData ?? input.clientData),
                keys: key, expectations: expectations, now: Fixtures.now)
        }
    }

    private func subject(extensions: AppAttestExtensions) throws -> Subject {
        let minted = try AssertionBlueprint(
            key: AttestedKey(), appID: Fixtures.appID, counter: 1, clientData: .bytes(Fixtures.challenge),
            extensions: extensions
        ).mint()
        let (input, key) = Fixtures.input(minted)
        return Subject(
            input: input, key: AssertionKeys(enrolled: nil, supplied: key, durability: .ephemeral, blocks: []),
            expectations: Fixtures.expectations(try Fixtures.configuration()))
    }

    @Test(
        "an assertion with any other value in any byte is rejected",
        arguments: [false, true])
    func everyByte(hasExtensions: Bool) throws {
        let extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        let subject = try subject(extensions: hasExtensions ? extensions : .none)
        let assertion = subject.input.assertion
        #expect(subject.assess(assertion).isAcceptable)
        var accepted: [String] = []
        for index in assertion.indices {
            var changed = assertion
            for value in UInt8.min...UInt8.max where value != assertion[index] {
                changed[index] = value
                if subject.assess(changed).isAcceptable { accepted.append("byte \(index) = \(value)") }
            }
        }
        #expect(accepted == [])
    }

    @Test("an assertion that is truncated at any length, or followed by bytes, is rejected")
    func everyLength() throws {
        let subject = try subject(extensions: .none)
        let assertion = subject.input.assertion
        for count in assertion.indices {
            #expect(subject.assess(Array(assertion.prefix(count))).failed == [CheckID.appAttestAssertionDecode])
        }
        for byte in UInt8.min...UInt8.max {
            #expect(subject.assess(assertion + [byte]).failed == [CheckID.appAttestAssertionDecode])
        }
    }

    @Test("a flip of any bit of the client data or the key identifier is rejected")
    func everyBitOfTheRequest() throws {
        let subject = try subject(extensions: .none)
        let assertion = subject.input.assertion
        for bit in 0..<Fixtures.challenge.count * 8 {
            var changed = Fixtures.challenge
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(
                subject.assess(assertion, clientData: .data(changed)).failed == [CheckID.appAttestAssertionSignature])
        }
        for bit in 0..<subject.input.keyID.count * 8 {
            var changed = subject.input.keyID
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(subject.assess(assertion, keyID: changed).failed == [CheckID.appAttestAssertionKey])
        }
    }
}
