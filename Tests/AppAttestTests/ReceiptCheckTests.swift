import AppAttest
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// Each check of a refreshed receipt fails alone when only what it looks at is wrong.
struct ReceiptCheckTests {
    private struct Request {
        var key = AttestedKey()
        var keyID: [UInt8]?
        var now = Fixtures.now
        var enrolled: EnrolledKey?
        var change: (inout ReceiptBlueprint) throws -> Void = { _ in }
    }

    private func assess(_ request: Request) throws -> Assessment {
        let authority = try Fixtures.authority.get()
        let attestation = try Fixtures.attestation(key: request.key).mint()
        var blueprint = ReceiptBlueprint(
            authority: authority, appID: Fixtures.appID, certificate: attestation.certificates[0],
            clientDataHash: [UInt8](repeating: 1, count: 32), environment: .production, createdAt: Fixtures.now,
            riskMetric: 4)
        try request.change(&blueprint)
        let configuration = try Fixtures.configuration(
            receipt: AppAttestConfiguration.ReceiptRules(maximumAge: 300, maximumRiskMetric: 5))
        return ReceiptAssessor.assess(
            ReceiptInput(keyID: request.keyID ?? request.key.keyID, receipt: try blueprint.mint()),
            enrolled: request.enrolled, expectations: Fixtures.expectations(configuration), now: request.now)
    }

    private func enrolled(_ key: AttestedKey, appID: String, environment: String) -> EnrolledKey {
        EnrolledKey(
            identifier: KeyIdentifier.appAttest(key.keyID), app: "shop",
            publicKey: key.publicPoint, counter: 0, enrolledAt: Fixtures.now,
            properties: ["appId": appID, "environment": environment])
    }

    @Test("a genuine receipt is accepted, with what it tells, and marked as a test authority's")
    func genuine() throws {
        let assessment = try assess(Request())
        #expect(assessment.failed == [])
        #expect(assessment.checks.map(\.check) == ReceiptCheck.catalogue.map(\.id))
        #expect(assessment.effects.isEmpty && assessment.ledgerChecks.isEmpty)
        #expect((assessment.subject as? AppAttestSubject)?.receipt?.riskMetric == 4)
        #expect(assessment.testAuthority?.contains("Assay Test") == true)
    }

    @Test("each check fails alone")
    func isolation() throws {
        let other = AttestedKey()
        let foreign = try TestAuthority(
            organization: "Somebody", seed: "somebody", notBefore: Fixtures.now.addingTimeInterval(-86400))
        let key = AttestedKey()
        let requests: [(CheckID, Request)] = [
            (ReceiptCheck.decode, Request { $0.fields.append(ReceiptField(17, "4")) }),
            (ReceiptCheck.decode, Request { $0[17] = ReceiptField(17, "-1") }),
            (ReceiptCheck.decode, Request { $0[12] = ReceiptField(12, "yesterday") }),
            (ReceiptCheck.decode, Request { $0[3] = nil }),
            (ReceiptCheck.decode, Request { $0.signers = [] }),
            (ReceiptCheck.decode, Request { $0.signers += $0.signers }),
            (ReceiptCheck.decode, Request { $0.changeEncoded = { $0 + [0] } }),
            (ReceiptCheck.signature, Request { $0.changeSignature = { $0.reversed() } }),
            (
                ReceiptCheck.signature,
                Request { $0.signedAttributes = .ignored(Fixtures.now) }
            ),
            (
                ReceiptCheck.chain,
                Request {
                    $0.signers = [foreign.receiptSigner]
                    $0.certificates = [foreign.receiptSigner, foreign.receiptAuthority, foreign.root].map(\.certificate)
                }
            ),
            (
                ReceiptCheck.chain,
                Request {
                    let authority = try Fixtures.authority.get()
                    let unmarked = try authority.receiptSigner(
                        seed: "unmarked", notBefore: Fixtures.now.addingTimeInterval(-86400),
                        notAfter: Fixtures.now.addingTimeInterval(86400), isMarked: false)
                    $0.signers = [unmarked]
                    $0.certificates[0] = unmarked.certificate
                }
            ),
            (
                ReceiptCheck.chain,
                Request { $0.certificates.append(foreign.root.certificate) }
            ),
            (ReceiptCheck.appID, Request { $0[2] = ReceiptField(2, "1234567890.com.example.other") }),
            (
                ReceiptCheck.appID,
                Request(key: key, enrolled: enrolled(key, appID: "1234567890.com.example.o", environment: "production"))
            ),
            (ReceiptCheck.publicKey, Request(keyID: other.keyID)),
            (ReceiptCheck.publicKey, Request { $0[3] = ReceiptField(3, [0x30, 0x00]) }),
            (
                ReceiptCheck.publicKey,
                Request(key: key, enrolled: enrolled(other, appID: Fixtures.appID, environment: "production"))
            ),
            (ReceiptCheck.environment, Request { $0[7] = ReceiptField(7, "sandbox") }),
            (
                ReceiptCheck.environment,
                Request(key: key, enrolled: enrolled(key, appID: Fixtures.appID, environment: "development"))
            ),
            (ReceiptCheck.freshness, Request(now: Fixtures.now.addingTimeInterval(301))),
            (ReceiptCheck.freshness, Request(now: Fixtures.now.addingTimeInterval(-121))),
            (ReceiptCheck.riskMetric, Request { $0[17] = ReceiptField(17, "6") }),
            (ReceiptCheck.riskMetric, Request { $0[17] = nil }),
        ]
        for (index, (check, request)) in requests.enumerated() {
            #expect(try assess(request).failed == [check], "request \(index)")
        }
        #expect(Set(requests.map(\.0)) == Set(ReceiptCheck.catalogue.map(\.id)))
    }

    @Test("a signer that expired since, but was valid at creation, is good")
    func expiredSigner() throws {
        let assessment = try assess(
            Request {
                let signer = try Fixtures.authority.get().receiptSigner(
                    seed: "short", notBefore: Fixtures.now.addingTimeInterval(-60),
                    notAfter: Fixtures.now.addingTimeInterval(60), isMarked: true)
                $0.signers = [signer]
                $0.certificates[0] = signer.certificate
            })
        #expect(assessment.failed == [])
    }

    @Test("signed attributes that verify are good: OpenSSL judges them")
    func signedAttributes() throws {
        #expect(try assess(Request { $0.signedAttributes = .signed(Fixtures.now) }).failed == [])
    }
}
