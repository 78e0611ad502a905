import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Codes of App Attest that no minted vector contains: each test produces one with matching evidence or a matching key.
struct CodeTests {
    private typealias Codes = [CheckID: String]

    private static let key = AttestedKey()

    private static func configuration(
        challenge: AppAttestConfiguration.ChallengeSource = .caller,
        clientData: AppAttestConfiguration.ClientDataBinding = .none,
        minimumOSVersion: AppAttestConfiguration.MinimumOSVersion? = nil, demandsExtensions: Bool = false
    ) throws -> AppAttestConfiguration {
        let roots = try PEM.certificates(in: Array(Fixtures.authority.get().rootPEM.utf8))
        return try AppAttestConfiguration(
            appIDs: [Fixtures.appID], environments: [.production], challenge: challenge, clientData: clientData
        ) {
            $0.minimumOSVersion = minimumOSVersion
            $0.versions = VersionRules(minimum: demandsExtensions ? DottedVersion("1") : nil)
            $0.validationCategories = demandsExtensions ? [.appStore] : nil
            $0.testRoots = roots
        }
    }

    /// The codes of an assertion by a supplied key, or by a key enrolled with these properties.
    private static func assertion(
        _ configuration: AppAttestConfiguration, clientData: AppAttestClientData = .bytes(Fixtures.challenge),
        challenge: [UInt8]? = nil, properties: [String: String]? = nil
    ) throws -> Codes {
        let minted = try AssertionBlueprint(key: key, appID: Fixtures.appID, counter: 1, clientData: clientData).mint()
        let (input, supplied) = Fixtures.input(minted, challenge: challenge)
        let authority = AppAttestExpectations(app: "shop", configuration: configuration, modes: [:])
        let enrolled = try properties.map { properties in
            var properties = properties
            properties["testAuthority"] = try testAuthority(configuration)
            return EnrolledKey(
                identifier: .appAttest(key.keyID), app: "shop", publicKey: key.publicPoint, counter: 0,
                enrolledAt: Fixtures.now, properties: properties)
        }
        let keys = AssertionKeys(
            enrolled: enrolled, supplied: enrolled == nil ? supplied : nil, durability: .ephemeral, blocks: [])
        return codes(AssertionAssessor.assess(input, keys: keys, expectations: authority, now: Fixtures.now))
    }

    private static func attestation(
        _ configuration: AppAttestConfiguration, clientData: AppAttestClientData = .bytes(Fixtures.challenge),
        device: AppAttestDevice = .iOS26
    ) throws -> Codes {
        let blueprint = AttestationBlueprint(
            authority: try Fixtures.authority.get(), key: key, appID: Fixtures.appID, device: device,
            clientData: clientData, issuedAt: Fixtures.now)
        return codes(
            AttestationAssessor.assess(
                Fixtures.input(try blueprint.mint()), expectations: Fixtures.expectations(configuration),
                now: Fixtures.now))
    }

    private static func testAuthority(_ configuration: AppAttestConfiguration) throws -> String? {
        AttestationAssessor.assess(
            Fixtures.input(try Fixtures.attestation(key: key).mint()),
            expectations: Fixtures.expectations(configuration), now: Fixtures.now
        ).testAuthority
    }

    private static func codes(_ assessment: Assessment) -> Codes {
        Codes(
            uniqueKeysWithValues: assessment.checks.compactMap { result in
                result.finding.map { (result.check, $0.code) }
            })
    }

    @Test(
        "client data without the challenge fails client-data, and the ledger's challenge with the same code",
        .produces(
            "app-attest.assertion.challenge", "client-data-hash-only", "client-data-not-json", "client-data-too-large"),
        .produces("app-attest.assertion.client-data", "client-data-hash-only", "client-data-too-large"))
    func boundChallenge() throws {
        let pointer = try JSONPointer("/challenge")
        let large = AppAttestClientData.bytes([UInt8](repeating: 0x20, count: InputLimits.clientData + 1))
        let cases: [(AppAttestConfiguration.ClientDataBinding, AppAttestClientData, String)] = [
            (.raw, large, "client-data-too-large"),
            (.raw, .hash([UInt8](repeating: 1, count: 32)), "client-data-hash-only"),
            (.challengeAt(pointer), .hash([UInt8](repeating: 1, count: 32)), "client-data-hash-only"),
            (.challengeAt(pointer), .bytes(Array("{".utf8)), "client-data-not-json"),
            (.challengeAt(pointer), .bytes(Array("{}".utf8)), "challenge-missing"),
        ]
        for (binding, data, code) in cases {
            let caller = try Self.assertion(try Self.configuration(clientData: binding), clientData: data)
            #expect(caller[CheckID.appAttestAssertionClientData] == code)
            let ledger = try Self.assertion(
                try Self.configuration(challenge: .ledger, clientData: binding), clientData: data)
            #expect(ledger[CheckID.appAttestAssertionClientData] == code)
            #expect(ledger[CheckID.appAttestAssertionChallenge] == code)
        }
    }

    @Test(
        "a challenge that is empty, not bound or not compared fails with its own code",
        .produces("app-attest.assertion.client-data", "challenge-not-bound", "challenge-not-given"),
        .produces("app-attest.assertion.signature", "client-data-hash-empty"),
        .produces("app-attest.attestation.nonce", "challenge-empty"),
        .produces("app-attest.attestation.challenge", "challenge-missing"))
    func challenges() throws {
        let unbound = try Self.assertion(try Self.configuration(), challenge: Fixtures.challenge)
        #expect(unbound[CheckID.appAttestAssertionClientData] == "challenge-not-bound")
        let missing = try Self.assertion(try Self.configuration(clientData: .raw))
        #expect(missing[CheckID.appAttestAssertionClientData] == "challenge-not-given")
        let empty = try Self.assertion(try Self.configuration(), clientData: .hash([]))
        #expect(empty[CheckID.appAttestAssertionSignature] == "client-data-hash-empty")
        #expect(
            try Self.attestation(try Self.configuration(), clientData: .bytes([]))[CheckID.appAttestAttestationNonce]
                == "challenge-empty")
        let hashed = try Self.attestation(
            try Self.configuration(challenge: .ledger), clientData: .hash([UInt8](repeating: 1, count: 32)))
        #expect(hashed[CheckID.appAttestAttestationChallenge] == "challenge-missing")
    }

    @Test(
        "evidence of old systems may lack the extensions; evidence of new systems must have them",
        .produces("app-attest.assertion.bundle-version", "before-extensions", "bundle-version-missing"),
        .produces("app-attest.assertion.validation-category", "before-extensions", "validation-category-missing"),
        .produces("app-attest.attestation.bundle-version", "bundle-version-missing"),
        .produces("app-attest.attestation.validation-category", "validation-category-missing"))
    func extensions() throws {
        let demanding = try Self.configuration(demandsExtensions: true)
        var silent = AppAttestDevice.iOS26
        silent.systemVersion = "27.0"
        let cases: [(Codes, category: CheckID, bundle: CheckID, isOld: Bool)] = [
            (
                try Self.attestation(demanding), CheckID.appAttestAttestationValidationCategory,
                CheckID.appAttestAttestationBundleVersion,
                true
            ),
            (
                try Self.attestation(demanding, device: silent), CheckID.appAttestAttestationValidationCategory,
                CheckID.appAttestAttestationBundleVersion, false
            ),
            (
                try Self.assertion(demanding), CheckID.appAttestAssertionValidationCategory,
                CheckID.appAttestAssertionBundleVersion, true
            ),
            (
                try Self.assertion(demanding, properties: ["validationCategory": "1"]),
                CheckID.appAttestAssertionValidationCategory, CheckID.appAttestAssertionBundleVersion, false
            ),
        ]
        for (codes, category, bundle, isOld) in cases {
            #expect(codes[category] == (isOld ? "before-extensions" : "validation-category-missing"))
            #expect(codes[bundle] == (isOld ? "before-extensions" : "bundle-version-missing"))
        }
    }

    @Test(
        "the certified system must have a listed platform and a comparable version",
        .produces("app-attest.attestation.os-version", "os-version-malformed", "platform-not-allowed"))
    func system() throws {
        let version = try #require(DottedVersion("16"))
        let macOS = try Self.configuration(minimumOSVersion: .init([.macOS: version]))
        #expect(try Self.attestation(macOS)[CheckID.appAttestAttestationOSVersion] == "platform-not-allowed")
        var device = AppAttestDevice.iOS26
        device.systemVersion = "twenty-six"
        let any = try Self.configuration(minimumOSVersion: .init(version))
        #expect(
            try Self.attestation(any, device: device)[CheckID.appAttestAttestationOSVersion] == "os-version-malformed")
    }

    @Test(
        "an enrolled key's App ID and environment bind its assertions",
        .produces("app-attest.assertion.app-id", "app-id-differs"),
        .produces("app-attest.assertion.key-state", "environment-not-allowed", "environment-unknown"))
    func enrolledFacts() throws {
        let configuration = try Self.configuration()
        #expect(
            try Self.assertion(configuration, properties: ["appId": "1234567890.com.example.o"])[
                CheckID.appAttestAssertionAppID]
                == "app-id-differs")
        #expect(
            try Self.assertion(configuration, properties: ["environment": "elsewhere"])[
                CheckID.appAttestAssertionKeyState]
                == "environment-unknown")
        #expect(
            try Self.assertion(configuration, properties: ["environment": "development"])[
                CheckID.appAttestAssertionKeyState]
                == "environment-not-allowed")
    }

    @Test(
        "a key that is blocked before it is enrolled is not enrolled",
        .produces("app-attest.attestation.enrolment", "blocked"))
    func blockedEnrolment() async throws {
        let ledger = MemoryLedger()
        let verifier = try Fixtures.verifier(try Self.configuration(), ledger: ledger)
        let subject = KeyIdentifier.appAttest(Self.key.keyID).subject
        try await ledger.block(LedgerBlock(subject: subject, reason: "abuse", since: Fixtures.now, until: nil))
        let verdict = try await verifier.verify(
            Fixtures.input(try Fixtures.attestation(key: Self.key).mint()), at: Fixtures.now)
        #expect(verdict.checks.first { $0.status == .failed }?.check == CheckID.appAttestAttestationEnrolment)
        #expect(verdict.checks.first { $0.status == .failed }?.finding?.code == "blocked")
    }
}
