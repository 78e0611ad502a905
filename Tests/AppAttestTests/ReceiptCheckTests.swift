import AppAttest
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// If only the subject of a check of a refreshed receipt is wrong, only that check fails.
struct ReceiptCheckTests {
    private struct Request {
        var key = AttestedKey()
        var keyID: [UInt8]?
        var now = Fixtures.now
        var enrolled: EnrolledKey?
        var change: (inout ReceiptBlueprint) throws -> Void = { _ in }
        /// Changes the minted receipt.
        var alter: (inout [UInt8]) -> Void = { _ in }
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
        var receipt = try blueprint.mint()
        request.alter(&receipt)
        return ReceiptAssessor.assess(
            ReceiptInput(keyID: request.keyID ?? request.key.keyID, receipt: receipt),
            enrolled: request.enrolled, expectations: Fixtures.expectations(configuration), now: request.now)
    }

    private func enrolled(
        _ key: AttestedKey, app: String = "shop", appID: String, environment: String
    ) -> EnrolledKey {
        EnrolledKey(
            identifier: KeyIdentifier.appAttest(key.keyID), app: app,
            publicKey: key.publicPoint, counter: 0, enrolledAt: Fixtures.now,
            properties: ["appId": appID, "environment": environment])
    }

    @Test("a genuine receipt is accepted with its facts, and marked with the test authority")
    func genuine() throws {
        let assessment = try assess(Request())
        #expect(assessment.failed == [])
        #expect(assessment.checks.map(\.check) == ReceiptCheck.catalogue.map(\.id))
        #expect(assessment.effects.isEmpty && assessment.ledgerChecks.isEmpty)
        #expect((assessment.subject as? AppAttestSubject)?.receipt?.riskMetric == 4)
        #expect(assessment.testAuthority?.contains("Assay Test") == true)
    }

    @Test(
        "each check fails alone",
        .produces("app-attest.receipt.app-id", "app-id-differs", "app-id-not-allowed", "key-of-another-app"),
        .produces("app-attest.receipt.chain", "receipt-certificate-not-in-path", "receipt-signer-purpose"),
        .produces(
            "app-attest.receipt.environment", "environment-differs", "environment-missing", "environment-not-allowed"),
        .produces("app-attest.receipt.freshness", "receipt-expired", "receipt-from-the-future", "receipt-too-old"),
        .produces("app-attest.receipt.public-key", "certificate-malformed", "key-differs", "key-id-differs"),
        .produces("app-attest.receipt.risk-metric", "risk-metric-missing", "risk-metric-too-high"),
        .produces(
            "app-attest.receipt.signature", "receipt-algorithm", "receipt-signature-invalid",
            "receipt-signed-attributes"),
        // One rule decides both: the receipt of an attestation, and a refreshed one.
        .produces("app-attest.attestation.receipt", "receipt-certificate-not-in-path"))
    func isolation() throws {
        let other = AttestedKey()
        let foreign = try TestAuthority(
            organization: "Somebody", seed: "somebody", notBefore: Fixtures.now.addingTimeInterval(-86400))
        let key = AttestedKey()
        let requests: [(CheckID, String?, Request)] = [
            (CheckID.appAttestReceiptDecode, nil, Request { $0.fields.append(ReceiptField(17, "4")) }),
            (CheckID.appAttestReceiptDecode, nil, Request { $0[17] = ReceiptField(17, "-1") }),
            (CheckID.appAttestReceiptDecode, nil, Request { $0[12] = ReceiptField(12, "yesterday") }),
            (CheckID.appAttestReceiptDecode, nil, Request { $0[3] = nil }),
            (CheckID.appAttestReceiptDecode, nil, Request { $0.signers = [] }),
            (CheckID.appAttestReceiptDecode, nil, Request { $0.signers += $0.signers }),
            (CheckID.appAttestReceiptDecode, nil, Request { $0.changeEncoded = { $0 + [0] } }),
            (
                CheckID.appAttestReceiptSignature, "receipt-signature-invalid",
                Request { $0.changeSignature = { $0.reversed() } }
            ),
            (
                CheckID.appAttestReceiptSignature, "receipt-signed-attributes",
                Request { $0.signedAttributes = .ignored(Fixtures.now) }
            ),
            (
                CheckID.appAttestReceiptSignature, "receipt-algorithm",
                Request {
                    let signer = try Fixtures.authority.get().attestationAuthority
                    $0.signers = [signer]
                    $0.certificates[0] = signer.certificate
                }
            ),
            (
                CheckID.appAttestReceiptChain, "untrusted",
                Request {
                    $0.signers = [foreign.receiptSigner]
                    $0.certificates = [foreign.receiptSigner, foreign.receiptAuthority, foreign.root].map(\.certificate)
                }
            ),
            (
                CheckID.appAttestReceiptChain, "receipt-signer-purpose",
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
                CheckID.appAttestReceiptChain, "receipt-certificate-not-in-path",
                Request { $0.certificates.append(foreign.root.certificate) }
            ),
            (
                CheckID.appAttestReceiptAppID, "app-id-not-allowed",
                Request { $0[2] = ReceiptField(2, "1234567890.com.example.other") }
            ),
            (
                CheckID.appAttestReceiptAppID, "app-id-differs",
                Request(key: key, enrolled: enrolled(key, appID: "1234567890.com.example.o", environment: "production"))
            ),
            (CheckID.appAttestReceiptPublicKey, "key-id-differs", Request(keyID: other.keyID)),
            (
                CheckID.appAttestReceiptPublicKey, "certificate-malformed",
                Request { $0[3] = ReceiptField(3, [0x30, 0x00]) }
            ),
            (
                CheckID.appAttestReceiptPublicKey, "key-differs",
                Request(key: key, enrolled: enrolled(other, appID: Fixtures.appID, environment: "production"))
            ),
            (
                CheckID.appAttestReceiptEnvironment, "environment-not-allowed",
                Request { $0[7] = ReceiptField(7, "sandbox") }
            ),
            (
                CheckID.appAttestReceiptEnvironment, "environment-differs",
                Request(key: key, enrolled: enrolled(key, appID: Fixtures.appID, environment: "development"))
            ),
            (
                CheckID.appAttestReceiptFreshness, "receipt-expired",
                Request(now: Fixtures.now.addingTimeInterval(400 * 86400))
            ),
            (
                CheckID.appAttestReceiptAppID, "key-of-another-app",
                Request(
                    key: key,
                    enrolled: enrolled(key, app: "other", appID: Fixtures.appID, environment: "production"))
            ),
            (CheckID.appAttestReceiptFreshness, "receipt-too-old", Request(now: Fixtures.now.addingTimeInterval(301))),
            (
                CheckID.appAttestReceiptFreshness, "receipt-from-the-future",
                Request(now: Fixtures.now.addingTimeInterval(-121))
            ),
            (CheckID.appAttestReceiptRiskMetric, "risk-metric-too-high", Request { $0[17] = ReceiptField(17, "6") }),
            (CheckID.appAttestReceiptRiskMetric, "risk-metric-missing", Request { $0[17] = nil }),
        ]
        for (index, (check, code, request)) in requests.enumerated() {
            let assessment = try assess(request)
            let failed = assessment.checks.filter { $0.status == .failed }
            #expect(failed.map(\.check) == [check], "request \(index)")
            if let code { #expect(failed.first?.finding?.code == code, "request \(index)") }
        }
        let unnamed = try assess(Request { $0[7] = nil }).checks.first {
            $0.check == CheckID.appAttestReceiptEnvironment
        }
        #expect(unnamed?.status == .skipped && unnamed?.finding?.code == "environment-missing")
        #expect(Set(requests.map(\.0)) == Set(ReceiptCheck.catalogue.map(\.id)))
    }

    @Test("a signer that has expired since, but was valid at creation, is accepted")
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

    @Test("signed attributes that verify are accepted: OpenSSL verifies them")
    func signedAttributes() throws {
        #expect(try assess(Request { $0.signedAttributes = .signed(Fixtures.now) }).failed == [])
    }

    @Test("no bit of a signer's information can be changed, although OpenSSL ignores the tags of attributes' values")
    func signerInformation() throws {
        var accepted: [String] = []
        // The end of a receipt contains the issuer and serial number of the signer, the signed attributes, and the
        // signature.
        for fromEnd in 1...300 {
            for bit in 0..<8 {
                var request = Request { $0.signedAttributes = .signed(Fixtures.now) }
                request.key = Self.key
                request.alter = { $0[$0.count - fromEnd] ^= 1 << bit }
                if try assess(request).failed == [] { accepted.append("bit \(bit), \(fromEnd) bytes from the end") }
            }
        }
        #expect(accepted == [])
    }

    private static let key = AttestedKey()
}
