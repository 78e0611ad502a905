import Assay
import AssayHummingbird
import AssayTesting
import Testing

struct HandlerTests {
    @Test("A handler is tested with verdicts that are stated")
    func stubs() async throws {
        let accepted = try await Verdict.stub(
            accepting: .appAttestRequest, app: "shop-ios", subject: AppAttestSubject(keyID: [1, 2, 3]))
        #expect(confirmation(JudgedRequest(.verdict(accepted))) == "ordered by AQID")
        let rejected = try await Verdict.stub(
            rejecting: .appAttestRequest, failed: [.appAttestAssertionCounter], code: .counterNotIncreasing,
            remedy: .retry)
        #expect(confirmation(JudgedRequest(.verdict(rejected))) == "no order")
        #expect(rejected.check(.appAttestAssertionCounter)?.has(.counterNotIncreasing) == true)
        #expect(EvidenceAnswer(rejected).status == 401)
    }
}
