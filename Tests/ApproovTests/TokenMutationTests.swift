import Assay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Nothing at all may be changed in a token that is accepted: there is no byte that nobody looks at.
@Suite("Mutated Approov tokens", .timeLimit(.minutes(5)))
struct TokenMutationTests {
    private let keys: [NamedKey]

    init() throws { keys = try TokenFixtures.keys() }

    private func accepted(
        _ text: String, _ settings: ApproovConfiguration.Settings = TokenFixtures.lenient,
        as evidence: (String) -> ApproovTokenInput.Evidence = { .token($0) }
    ) throws -> [String] {
        // Nothing is asked of the claims: no change may hide behind a demand that it fails.
        let expectations = try TokenFixtures.expectations(settings)
        return TokenMutation.accepted(text) { (changed: String) in
            ApproovTokenAssessor.assess(
                ApproovTokenInput(evidence(changed)), keys: keys, standings: { _ in [] }, expectations: expectations,
                now: TokenFixtures.now
            ).holds
        }
    }

    private static let claims = TokenFixtures.claims.text

    @Test("Every bit flipped, every byte left out or doubled and every end of a signed token")
    func signed() throws {
        let tokens = [
            try TokenFixtures.token(),
            try TokenFixtures.jws(
                Self.claims, header: #"{"alg":"ES256","kid":"es"}"#, by: TokenFixtures.es256()),
            try TokenFixtures.jws(
                Self.claims, header: #"{"alg":"RS256","kid":"rs"}"#, by: TokenFixtures.rs256()),
        ]
        for token in tokens { #expect(try accepted(token) == []) }
    }

    @Test("The same of an encrypted token")
    func encrypted() throws {
        var settings = TokenFixtures.lenient
        settings.format = .jwe
        #expect(try accepted(TokenFixtures.jwe(Self.claims), settings) == [])
    }

    @Test("The same of a loggable token without white space")
    func loggable() throws {
        let text = try TokenFixtures.loggable(LoggableTokenTests.claims)
        #expect(try accepted(text) { .loggable($0) } == [])
    }

    @Test("Of a loggable token with white space, which nobody has signed, only that may be changed")
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
