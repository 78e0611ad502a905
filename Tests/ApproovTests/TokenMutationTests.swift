import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The few accepted changes of a token. `MutationRunTests` tests that all others are refused.
@Suite("Mutated Approov tokens", .timeLimit(.minutes(20)))
struct TokenMutationTests {
    private let keys: [NamedKey]

    init() throws { keys = try TokenFixtures.keys() }

    private func accepted(
        _ text: String, _ settings: ApproovConfiguration.Settings = TokenFixtures.lenient,
        as evidence: (String) -> ApproovTokenInput.Evidence = { .token($0) }
    ) throws -> [String] {
        // The policy demands nothing of the claims: otherwise a failed demand could hide an accepted change.
        let expectations = try TokenFixtures.expectations(settings)
        return TokenMutation.accepted(text) { (changed: String) in
            ApproovTokenAssessor.assess(
                ApproovTokenInput(evidence(changed)), keys: keys, standings: { _ in [] }, expectations: expectations,
                use: .analysis, now: TokenFixtures.now
            ).isAcceptable
        }
    }

    private static let claims = TokenFixtures.claims.text

    @Test(
        "Both values s and n - s of an ES256 signature give the same verdict")
    func twin() throws {
        let token = try TokenFixtures.jws(
            Self.claims, header: #"{"alg":"ES256","kid":"es"}"#, by: TokenFixtures.es256())
        let parts = token.split(separator: ".").map(String.init)
        let signature = try Base64.decode(parts[2], .url)
        let twin = signature.prefix(32) + Self.subtracted(signature.suffix(32), from: Self.order)
        #expect(Array(twin) != signature)
        let expectations = try TokenFixtures.expectations(TokenFixtures.lenient)
        let assessment = ApproovTokenAssessor.assess(
            ApproovTokenInput(token: "\(parts[0]).\(parts[1]).\(Base64.encode(Array(twin), .url))"), keys: keys,
            standings: { _ in [] }, expectations: expectations, now: TokenFixtures.now)
        #expect(assessment.isAcceptable)
        #expect(assessment.effects.isEmpty)
    }

    /// The order n of P-256 (SEC 2 section 2.4.2), big-endian.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    private static func subtracted(_ number: ArraySlice<UInt8>, from minuend: [UInt8]) -> [UInt8] {
        var borrow = 0
        let digits = zip(minuend, number).reversed().map { (left, right) -> UInt8 in
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: difference)
        }
        return digits.reversed()
    }

    @Test("In a loggable token, only unsigned white space may change")
    func loggableWithSpace() throws {
        let text = try TokenFixtures.loggable(LoggableTokenTests.claims)
            .replacing("{", with: "{\n  ").replacing(",\"", with: ",\n  \"").replacing("\":", with: "\": ")
        let bytes = Array(text.utf8)
        let changes = try accepted(text) { .loggable($0) }
        #expect(!changes.isEmpty)
        for change in changes {
            let words = change.split(separator: " ")
            let index = try #require(words.lazy.compactMap { Int($0) }.last)
            #expect(bytes[index] == 0x20 || bytes[index] == 0x0A, "\(change)")
        }
    }
}
