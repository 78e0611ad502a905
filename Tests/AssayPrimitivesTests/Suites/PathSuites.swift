import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// One path of a suite: what is trusted, what is given, when, and what must come of it.
struct PathCase: Sendable {
    let id: String
    let tier: String
    let isAccepted: Bool
    let anchors: [Data]
    let intermediates: [Data]
    let leaf: Data
    let now: Date

    /// Decodes the certificates; one that is refused is not there, and without a leaf there is no path.
    func run(on validator: CertificatePathValidator) -> Result<ValidatedPath, PathFailure>? {
        guard let leaf = try? Certificate(der: Array(leaf)[...]) else { return nil }
        return validator.validate(leaf, intermediates: PathCase.decode(intermediates), at: now)
    }

    func makeValidator() -> CertificatePathValidator {
        CertificatePathValidator(anchors: PathCase.decode(anchors), algorithms: .ecdsaAndRSA)
    }

    static func decode(_ certificates: [Data]) -> [Certificate] {
        certificates.compactMap { try? Certificate(der: Array($0)[...]) }
    }
}

/// Suites of certificate paths. Each case is judged three times: by a new validator, by the same one again, which then
/// may remember the issuers, and by one that has seen all other cases with the same trust anchors.
@Suite(.enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct PathSuites {
    private func check(_ cases: [PathCase], register: [Divergence], _ location: SourceLocation = #_sourceLocation) {
        var fresh = SuiteReport()
        var again = SuiteReport()
        var shared = SuiteReport()
        let sharedValidators = Dictionary(grouping: cases, by: \.anchors).mapValues { group in
            let validator = group[0].makeValidator()
            for test in group { _ = test.run(on: validator) }
            return validator
        }
        for test in cases {
            let validator = test.makeValidator()
            let start = ContinuousClock.now
            fresh.record(test.id, expected: test.isAccepted, accepted: test.run(on: validator).isSuccess)
            again.record(test.id, expected: test.isAccepted, accepted: test.run(on: validator).isSuccess)
            let duration = ContinuousClock.now - start
            #expect(duration < .milliseconds(500), "\(test.id) takes \(duration)", sourceLocation: location)
            guard let sharedValidator = sharedValidators[test.anchors] else { continue }
            shared.record(test.id, expected: test.isAccepted, accepted: test.run(on: sharedValidator).isSuccess)
        }
        #expect(fresh.problems(cases: cases.count, register: register) == [], sourceLocation: location)
        #expect(again.problems(cases: cases.count, register: register) == [], sourceLocation: location)
        #expect(shared.problems(cases: cases.count, register: register) == [], sourceLocation: location)
    }

    private struct Limbo: Decodable {
        let certs: [Data]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let tier: String
            let expected: String
            let trusted: [Int]
            let intermediates: [Int]
            let leaf: Int
            let time: String?
        }
    }

    private func limbo(_ tiers: Set<String>) throws -> [PathCase] {
        let suite = try SharedFiles.json("suites/limbo/limbo-subset.json", as: Limbo.self)
        return try suite.cases.filter { tiers.contains($0.tier) }.map { test in
            PathCase(
                id: test.id, tier: test.tier, isAccepted: test.expected == "accept",
                anchors: test.trusted.map { suite.certs[$0] },
                intermediates: test.intermediates.map { suite.certs[$0] },
                leaf: suite.certs[test.leaf], now: try instant(test.time ?? "2024-06-01T00:00:00+00:00"))
        }
    }

    private func instant(_ text: String) throws -> Date {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return try style.parse(text)
    }

    @Test("x509-limbo, core: what every verifier of private roots must get right")
    func limboCore() throws {
        let cases = try limbo(["core"])
        #expect(cases.count == 63)
        check(
            cases,
            register: [
                Divergence("pathlen::validation-ignores-pathlen-in-leaf", PathSuites.leafIsCA),
                Divergence("rfc5280::ca-as-leaf", PathSuites.leafIsCA),
                Divergence("online::fastly.com", "the anchor's serial number is 0, RFC 5280 4.1.2.2 wants it positive"),
            ])
    }

    @Test("x509-limbo, policy and denial of service: refused, and refused fast")
    func limboRefusals() throws {
        let cases = try limbo(["policy", "dos"])
        #expect(cases.count == 18)
        check(cases, register: [])
    }

    @Test("x509-limbo, depth: paths as deep as a caller may allow; there is no such argument here to refuse them")
    func limboDepth() throws {
        let cases = try limbo(["depth"]).filter(\.isAccepted)
        #expect(cases.count == 3)
        check(cases, register: [])
    }

    @Test("x509-limbo, name constraints: they are not processed, so whatever has them is refused")
    func limboNameConstraints() throws {
        let cases = try limbo(["nameConstraints"])
        #expect(cases.count == 52)
        check(cases, register: [PathSuites.nameConstraints])
    }

    @Test("x509-limbo, strict RFC 5280 profile, but for what only issuers must do")
    func limboStrict() throws {
        // RFC 5280 section 4.2.1.1, 4.2.1.2 and 4.2.1.9 say what conforming issuers put into certificates; section 6
        // does not ask for it, and Apple's leaves have no key identifiers.
        let issuersOnly: Set = [
            "rfc5280::aki::leaf-missing-aki", "rfc5280::aki::intermediate-missing-aki",
            "rfc5280::aki::cross-signed-root-missing-aki", "rfc5280::ski::root-missing-ski",
            "rfc5280::ski::intermediate-missing-ski", "rfc5280::root-missing-basic-constraints",
            "rfc5280::root-non-critical-basic-constraints",
        ]
        let cases = try limbo(["strict"]).filter { !issuersOnly.contains($0.id) }
        #expect(cases.count == 11)
        check(cases, register: [])
    }

    private static let leafIsCA = "the leaf is a certification authority, or says what only one may say"
    private static let nameConstraints = Divergence(
        all: "name constraints", where: { _ in true }, "name constraints are not processed, RFC 5280 4.2.1.10")

    private struct PKITS: Decodable {
        let time: Double
        let certs: [[String]]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let chain: [Int]
            let expected: String
            let tier: String
        }
    }

    @Test("NIST PKITS, core sections")
    func pkits() throws {
        let suite = try SharedFiles.json("suites/x509/pkits_subset.json", as: PKITS.self)
        let certificates = try suite.certs.map { try #require(Data(base64Encoded: $0[1])) }
        let cases = suite.cases.filter { $0.tier != "crlOnly" }.map { test in
            let chain = test.chain.map { certificates[$0] }
            return PathCase(
                id: test.id, tier: test.tier, isAccepted: test.expected == "accept", anchors: chain.suffix(1),
                intermediates: Array(chain.dropFirst().dropLast()), leaf: chain[0],
                now: Date(timeIntervalSince1970: suite.time))
        }
        #expect(cases.count == 85)
        check(
            cases,
            register: [
                Divergence("4.6.8", PathSuites.leafIsCA), Divergence("4.6.14", PathSuites.leafIsCA),
                Divergence("4.1.4", "DSA is not allowed"), Divergence("4.1.5", "DSA is not allowed"),
                Divergence(
                    all: "4.13", where: { $0.hasPrefix("4.13.") },
                    "name constraints are not processed, RFC 5280 4.2.1.10"),
            ])
    }

    private struct BoringSSL: Decodable {
        let certs: [Data]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let chain: [Int]
            let anchorTrusted: Bool
            let time: Double
            let expected: String
            let tier: String
        }
    }

    @Test("BoringSSL's chains, core")
    func boringSSL() throws {
        let suite = try SharedFiles.json("suites/x509/boringssl_chains.json", as: BoringSSL.self)
        let cases = suite.cases.filter { $0.tier == "core" }.map { test in
            let chain = test.chain.map { suite.certs[$0] }
            return PathCase(
                id: test.id, tier: test.tier, isAccepted: test.expected == "accept",
                anchors: test.anchorTrusted ? chain.suffix(1) : [],
                intermediates: Array(chain.dropFirst().dropLast(test.anchorTrusted ? 1 : 0)), leaf: chain[0],
                now: Date(timeIntervalSince1970: test.time))
        }
        #expect(cases.count == 62)
        let leaves = [
            "has-ca-basic-constraints", "has-keycertsign-but-not-ca", "has-pathlen-but-not-ca", "not-end-entity",
        ]
        check(cases, register: leaves.map { Divergence("target-\($0)/main", PathSuites.leafIsCA) })
    }
}

extension Result<ValidatedPath, PathFailure>? {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
