import Assay
import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Every code of every check is declared in the catalogue, and a vector or a test produces it.
struct CheckCodeTests {
    private static let root = TestVectors.folder.deletingLastPathComponent()
    /// The codes that decoders, keys, certificate paths and signature bases share: checks declare them as a family.
    private static let families = Set(
        CheckCode.ofDecoding + CheckCode.ofSignature + CheckCode.ofDecryption + CheckCode.ofPath
            + CheckCode.ofSignatureBase)

    /// A test that produces codes which no vector has: `check code`, and in ``familyTests`` the code alone.
    struct UnitTest: Sendable, CustomTestStringConvertible {
        let file: String
        let function: String
        let uses: [String]

        var testDescription: String { "\(file) \(function)" }

        init(_ file: String, _ function: String, _ uses: String...) {
            (self.file, self.function, self.uses) = (file, function, uses)
        }
    }

    private static let unitTests: [UnitTest] = [
        UnitTest(
            "DeviceCheckTests.swift", "ban", "device-check.token device-token-missing",
            "device-check.token device-token-refused", "device-check.token device-token-repeated",
            "device-check.ban device-banned",
            "device-check.replay digest-used"),
        UnitTest("DeviceCheckTests.swift", "enrolments", "device-check.ban too-many-enrolments"),
        UnitTest("DeviceCheckTests.swift", "outages", "device-check.answer apple-unavailable"),
        UnitTest("DeviceCheckTests.swift", "replays", "device-check.answer not-asked"),
        UnitTest(
            "ReceiptExchangeTests.swift", "metric", "app-attest.assertion.risk-metric key-risk-unknown",
            "app-attest.assertion.risk-metric key-risk-too-high", "app-attest.assertion.risk-metric key-risk-too-old"),
        UnitTest(
            "AppAttestTests/CodeTests.swift", "boundChallenge",
            "app-attest.assertion.challenge client-data-hash-only",
            "app-attest.assertion.challenge client-data-not-json",
            "app-attest.assertion.challenge client-data-too-large",
            "app-attest.assertion.client-data client-data-hash-only",
            "app-attest.assertion.client-data client-data-too-large"),
        UnitTest(
            "AppAttestTests/CodeTests.swift", "challenges",
            "app-attest.assertion.client-data challenge-not-bound",
            "app-attest.assertion.client-data challenge-not-given",
            "app-attest.assertion.signature client-data-hash-empty", "app-attest.attestation.nonce challenge-empty",
            "app-attest.attestation.challenge challenge-missing"),
        UnitTest(
            "AppAttestTests/CodeTests.swift", "extensions",
            "app-attest.assertion.bundle-version before-extensions",
            "app-attest.assertion.bundle-version bundle-version-missing",
            "app-attest.assertion.validation-category before-extensions",
            "app-attest.assertion.validation-category validation-category-missing",
            "app-attest.attestation.bundle-version before-extensions",
            "app-attest.attestation.bundle-version bundle-version-missing",
            "app-attest.attestation.validation-category before-extensions",
            "app-attest.attestation.validation-category validation-category-missing"),
        UnitTest(
            "AppAttestTests/CodeTests.swift", "system", "app-attest.attestation.os-version os-version-malformed",
            "app-attest.attestation.os-version platform-not-allowed"),
        UnitTest(
            "AppAttestTests/CodeTests.swift", "enrolledFacts", "app-attest.assertion.app-id app-id-differs",
            "app-attest.assertion.key-state environment-not-allowed",
            "app-attest.assertion.key-state environment-unknown"),
        UnitTest(
            "AppAttestTests/CodeTests.swift", "blockedEnrolment", "app-attest.attestation.enrolment blocked"),
        UnitTest(
            "AppAttestTests/ChallengeTests.swift", "forms", "app-attest.attestation.challenge challenge-consumed"),
        UnitTest(
            "AppAttestTests/ChallengeTests.swift", "refused", "app-attest.attestation.challenge challenge-expired",
            "app-attest.attestation.challenge challenge-mismatch"),
        UnitTest(
            "AppAttestTests/KeyTests.swift", "supplied", "app-attest.assertion.key key-differs",
            "app-attest.assertion.key key-not-enrolled", "app-attest.assertion.key key-of-another-app"),
        UnitTest(
            "AppAttestTests/KeyTests.swift", "notRefreshed",
            "app-attest.attestation.enrolment key-of-another-app",
            "app-attest.attestation.enrolment key-property-differs"),
        UnitTest(
            "AppAttestTests/AccountTests.swift", "blocked", "app-attest.attestation.account account-blocked",
            "app-attest.assertion.account account-blocked"),
        UnitTest(
            "AppAttestTests/AccountTests.swift", "required", "app-attest.assertion.account key-without-account"),
        UnitTest(
            "AppAttestTests/AccountTests.swift", "refreshOfAnother",
            "app-attest.attestation.enrolment key-of-another-account"),
        UnitTest(
            "AppAttestTests/AccountTests.swift", "limits", "app-attest.attestation.enrolment oldest-keys-retired",
            "app-attest.attestation.enrolment key-retired",
            "app-attest.assertion.counter key-retired"),
        UnitTest("PlayIntegrityTests/AccountTests.swift", "blocked", "play-integrity.account account-blocked"),
        UnitTest("ApproovTests/AccountTests.swift", "blocked", "approov.token.account account-blocked"),
        UnitTest(
            "AppAttestTests/VersionTests.swift", "bundleVersions",
            "app-attest.attestation.bundle-version bundle-version-too-high",
            "app-attest.attestation.bundle-version bundle-version-withdrawn",
            "app-attest.assertion.bundle-version bundle-version-too-high",
            "app-attest.assertion.bundle-version bundle-version-withdrawn"),
        UnitTest(
            "PlayIntegrityTests/VersionTests.swift", "versionCodes",
            "play-integrity.version-code version-code-too-high", "play-integrity.version-code version-code-withdrawn"),
        UnitTest(
            "ApproovTests/TokenPolicyCheckTests.swift", "addressesShown", "approov.token.address address-hashed"),
        UnitTest(
            "ApproovTests/TokenSubstituteTests.swift", "texts", "approov.token.decode loggable-error",
            "approov.token.decode loggable-text"),
        UnitTest("ApproovTests/TokenSubstituteTests.swift", "absentFields", "approov.token.binding unbound-request"),
        UnitTest("AppAttestTests/KeyTests.swift", "refreshed", "app-attest.attestation.enrolment key-refreshed"),
        UnitTest("AppAttestTests/KeyTests.swift", "enrolledAgain", "app-attest.assertion.key key-malformed"),
        UnitTest("AppAttestTests/KeyTests.swift", "testAuthority", "app-attest.assertion.key key-of-another-authority"),
        UnitTest("AppAttestTests/KeyTests.swift", "blocked", "app-attest.assertion.key-state blocked"),
        UnitTest("AppAttestTests/KeyTests.swift", "blockedWithoutCheck", "app-attest.assertion.counter blocked"),
        UnitTest(
            "AppAttestTests/ReceiptCheckTests.swift", "isolation", "app-attest.receipt.app-id app-id-differs",
            "app-attest.receipt.app-id app-id-not-allowed", "app-attest.receipt.app-id key-of-another-app",
            "app-attest.receipt.chain receipt-certificate-not-in-path",
            "app-attest.receipt.chain receipt-signer-purpose", "app-attest.receipt.environment environment-differs",
            "app-attest.receipt.environment environment-missing",
            "app-attest.receipt.environment environment-not-allowed", "app-attest.receipt.freshness receipt-expired",
            "app-attest.receipt.freshness receipt-from-the-future", "app-attest.receipt.freshness receipt-too-old",
            "app-attest.receipt.public-key certificate-malformed", "app-attest.receipt.public-key key-differs",
            "app-attest.receipt.public-key key-id-differs", "app-attest.receipt.risk-metric risk-metric-missing",
            "app-attest.receipt.risk-metric risk-metric-too-high",
            "app-attest.receipt.signature receipt-algorithm", "app-attest.receipt.signature receipt-signature-invalid",
            "app-attest.receipt.signature receipt-signed-attributes",
            // One rule decides both: the receipt of an attestation, and a refreshed one.
            "app-attest.attestation.receipt receipt-certificate-not-in-path"),
        // Two requests that race for the ledger get these: the key's check looks the key up before the commit.
        UnitTest(
            "AssayCoreTests/LedgerVocabularyTests.swift", "refusals", "app-attest.assertion.counter key-of-another-app",
            "app-attest.assertion.counter key-unknown", "app-attest.assertion.challenge challenge-consumed",
            "app-attest.assertion.challenge challenge-expired", "app-attest.assertion.challenge challenge-mismatch"),
        UnitTest(
            "ApproovTests/MessageBodyTests.swift", "digests", "approov.message.content-digest digest-not-computed"),
        UnitTest("ApproovTests/TokenPolicyCheckTests.swift", "addresses", "approov.token.address address-missing"),
        UnitTest(
            "ApproovTests/TokenPolicyCheckTests.swift", "allowedDevice",
            "approov.token.device device-allowed"),
        UnitTest("ApproovTests/TokenPolicyCheckTests.swift", "blockedDevice", "approov.token.device device-blocked"),
        UnitTest("ApproovTests/TokenPolicyCheckTests.swift", "revokedIssuer", "approov.token.issuer issuer-revoked"),
        UnitTest(
            "ApproovTests/LoggableTokenTests.swift", "admitsNothing", "approov.token.signature loggable-token"),
        UnitTest(
            "ApproovTests/LoggableTokenTests.swift", "boundValues", "approov.token.binding binding-of-loggable"),
        UnitTest("ApproovTests/TokenBindingTests.swift", "demands", "approov.token.binding binding-repeated"),
        UnitTest("ApproovTests/TokenBindingTests.swift", "unbound", "approov.token.binding long-lived"),
        UnitTest(
            "ApproovTests/ProofRulesTests.swift", "challenges", "approov.proof.challenge challenge-consumed",
            "approov.proof.challenge challenge-expired", "approov.proof.challenge challenge-mismatch"),
        UnitTest("ApproovTests/KeySelectionTests.swift", "noLiveKey", "approov.token.key no-live-key"),
        UnitTest(
            "PlayIntegrityTests/LedgerTests.swift", "refused", "play-integrity.challenge challenge-expired",
            "play-integrity.challenge challenge-mismatch"),
        UnitTest(
            "PlayIntegrityTests/AnswerSourceTests.swift", "refused", "play-integrity.decode answer-by-caller"),
        UnitTest(
            "PlayIntegrityTests/StandardTests.swift", "spellings", "play-integrity.decode token-not-canonical"),
        UnitTest("PlayIntegrityTests/LedgerTests.swift", "forms", "play-integrity.challenge challenge-consumed"),
        UnitTest("PlayIntegrityTests/KeySelectionTests.swift", "assessor", "play-integrity.decryption no-live-key"),
        UnitTest(
            "PlayIntegrityTests/KeySelectionTests.swift", "endlessTime", "play-integrity.freshness time-out-of-range"),
    ]

    private static let familyTests: [UnitTest] = [
        UnitTest(
            "SignatureBaseTests.swift", "errors", "ambiguous", "invalid-parameter", "invalid-value", "not-structured"),
        UnitTest("CertificatePathTests.swift", "limits", "too-many-certificates"),
        UnitTest("CertificatePathTests.swift", "leaves", "leaf-is-anchor", "unsupported-version"),
    ]

    /// A check and a code of it.
    private struct Use: Hashable, Comparable, CustomStringConvertible {
        let check: String
        let code: String

        var description: String { "\(check) \(code)" }

        init(check: String, code: String) {
            (self.check, self.code) = (check, code)
        }

        /// Reads `check code`.
        init(_ text: String) {
            let words = text.split(separator: " ").map(String.init)
            self.init(check: words.first ?? "", code: words.last ?? "")
        }

        static func < (lhs: Use, rhs: Use) -> Bool { lhs.description < rhs.description }
    }

    @Test("a code is in the catalogue if and only if the sources construct it")
    func constructed() throws {
        var constructed: [String] = []
        let sources = Self.root.appendingPathComponent("Sources")
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            constructed += text.matches(of: /\bCheckCode\(\s*"([^"]*)"/).map { String($0.1) }
        }
        let declared = Set(Verifier.catalogue.flatMap(\.codes))
        #expect(Set(constructed) == Set(declared.map(\.name)))
        // Several constants have the same name and a meaning of their own.
        #expect(constructed.count == declared.count)
    }

    @Test("each check has codes, each of its own, which are in kebab case and explained by a sentence")
    func form() {
        for check in Verifier.catalogue {
            #expect(!check.codes.isEmpty, "\(check.id)")
            #expect(Set(check.codes.map(\.name)).count == check.codes.count, "\(check.id)")
            for code in check.codes {
                #expect(code.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(code)")
                #expect(code.meaning.count > 30 && code.meaning.hasSuffix("."), "\(code)")
            }
        }
    }

    @Test("a minted vector or a listed test produces every code of every check, and no check a code that it lacks")
    func produced() async throws {
        let produced = try await Self.producedByVectors()
        var (declared, ofFamilies): (Set<Use>, Set<String>) = ([], [])
        var own: Set<Use> = []
        for check in Verifier.catalogue {
            for code in check.codes {
                let use = Use(check: check.id.name, code: code.name)
                declared.insert(use)
                if Self.families.contains(code) { ofFamilies.insert(code.name) } else { own.insert(use) }
            }
        }
        #expect(produced.subtracting(declared).sorted() == [])

        let listed = Set(
            (Self.unitTests + Self.androidKeyTests + Self.androidKeyRequestTests + Self.tokenTests).flatMap { test in
                test.uses.map { Use($0) }
            })
        #expect(own.subtracting(produced).subtracting(listed).sorted() == [], "no vector, no test")
        #expect(listed.intersection(produced).sorted() == [], "a vector has it: take it off the table")
        #expect(listed.subtracting(own).sorted() == [], "not declared")

        let familiesListed = Set(Self.familyTests.flatMap(\.uses))
        let inVectors = Set(produced.map(\.code))
        // OpenSSL's other reasons: no input is known that gives one.
        #expect(
            ofFamilies.subtracting(inVectors).subtracting(familiesListed).sorted() == ["openssl"], "no vector, no test")
        #expect(familiesListed.intersection(inVectors).sorted() == [], "a vector has it: take it off the table")
    }

    @Test(
        "the listed tests exist and name the codes",
        arguments: unitTests + androidKeyTests + androidKeyRequestTests + tokenTests + familyTests)
    func listed(test: UnitTest) throws {
        let folder = Self.root.appendingPathComponent("Tests")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix("/" + test.file) || $0 == test.file
        }
        let path = try #require(paths.count == 1 ? paths.first : nil, "\(test.file): \(paths)")
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        #expect(text.contains("func \(test.function)("), "\(test.file) has no \(test.function)")
        for use in test.uses {
            let code = use.split(separator: " ").last ?? ""
            let camelCase = code.split(separator: "-").enumerated()
                .map { $0 == 0 ? String($1) : $1.capitalized }.joined()
            let short = use.replacing("android-key.attestation.", with: "").replacing("android-key.request.", with: "")
                .replacing("assay.token.", with: "")
            let isNamed =
                text.contains("\"\(short)\"") || text.contains("\"\(code)\"") || text.contains("\"\(use)\"")
                || text.contains(".\(camelCase)")
            #expect(isNamed, "\(test.file): \(code)")
        }
    }

    /// The codes that judging the committed vectors produces.
    private static func producedByVectors() async throws -> Set<Use> {
        var produced: Set<Use> = []
        for engine in ["android-key", "app-attest", "approov", "play-integrity", "assay"] {
            let vectors = try MintedVectors.committed(engine)
            for verdict in try await vectors.verdicts() {
                for result in verdict.checks {
                    if let code = result.finding?.code { produced.insert(Use(check: result.check.name, code: code)) }
                }
            }
        }
        return produced
    }
}
