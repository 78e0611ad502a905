import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Receipts that Apple issued in 2020 and 2021 in exchange for older ones, with their fields.
@Suite(.enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct RefreshedReceiptTests {
    private struct Case: Decodable {
        struct Properties: Decodable {
            let creationTime: String
            let environment: String
            let expirationTime: String
            let notBefore: String?
            let riskMetric: String?
            let type: String
        }
        let source: String
        let receipt: Data
        let properties: Properties
    }

    private struct Attestation: Decodable {
        struct Evidence: Decodable { let keyId: Data }
        let id: String
        let evidence: Evidence
    }

    private func cases() throws -> [Case] {
        let cases = try SharedFiles.json("vectors/app-attest-receipts/refreshed.json", as: [Case].self)
        #expect(cases.count >= 6)
        return cases
    }

    private func keyID(of source: String) throws -> Data {
        let records = try SharedFiles.json("vectors/app-attest/\(source).json", as: [Attestation].self)
        return try #require(records.first { $0.id == source }).evidence.keyId
    }

    private func expectations() throws -> AppAttestExpectations {
        let appID = "6MURL8TA57.de.vincent-haupert.apple-appattest-poc"
        return Fixtures.expectations(
            try AppAttestConfiguration(
                appIDs: [appID], environments: [.development], challenge: .caller, clientData: .none))
    }

    @Test("every refreshed receipt verifies at its time, and its fields are decoded")
    func fields() throws {
        for item in try cases() {
            let created = try #require(RFC3339.parse(item.properties.creationTime))
            let input = ReceiptInput(keyID: try keyID(of: item.source), receipt: item.receipt)
            let assessment = ReceiptAssessor.assess(
                input, enrolled: nil, expectations: try expectations(), now: created.addingTimeInterval(60))
            #expect(assessment.failed == [])
            let facts = try #require((assessment.subject as? AppAttestSubject)?.receipt)
            #expect(facts.type == item.properties.type)
            #expect(facts.createdAt == created)
            #expect(facts.riskMetric.map(String.init) == item.properties.riskMetric)
            #expect(facts.refreshFrom == item.properties.notBefore.flatMap { RFC3339.parse($0) })
            #expect(facts.expiresAt == RFC3339.parse(item.properties.expirationTime))
            #expect(item.properties.environment == "sandbox")
        }
    }

    @Test("the time of judgement decides a receipt's age, and its creation time the validity of its signer")
    func times() throws {
        let item = try #require(try cases().first { $0.properties.type == "RECEIPT" })
        let created = try #require(RFC3339.parse(item.properties.creationTime))
        let input = ReceiptInput(keyID: try keyID(of: item.source), receipt: item.receipt)
        for (offset, failed) in [
            (300.0, []), (301, [CheckID.appAttestReceiptFreshness]), (-120, []),
            (-121, [CheckID.appAttestReceiptFreshness]),
            (86400 * 365 * 5, [CheckID.appAttestReceiptFreshness]),
        ] {
            let assessment = ReceiptAssessor.assess(
                input, enrolled: nil, expectations: try expectations(), now: created.addingTimeInterval(offset))
            #expect(assessment.failed == failed, "\(offset) s after its creation")
        }
    }

    @Test("OpenSSL reads the same content, signed by a certificate of the message")
    func secondOpinion() throws {
        for item in try cases() {
            let receipt = Array(item.receipt)
            let verified = try CMSSignedData.verify(receipt[...], detachedContent: nil).get()
            let message = try SignedDataMessage(receipt[...])
            #expect(verified.content == message.content)
            #expect(message.certificates.contains { $0.elementsEqual(verified.signer) })
        }
    }
}
