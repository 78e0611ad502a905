import Approov
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A token is bound to the values of the policy's request fields, in their order. Every field must be present.
@Suite("Binding of Approov tokens")
struct TokenBindingTests {
    private func verdict(
        _ bound: [ApproovBoundValue], pay: String?, fields: [String] = ["Authorization", "X-Device-ID"],
        failover: ApproovConfiguration.FailoverRule = .reject, change: (inout JSONItem) -> Void = { _ in }
    ) async throws -> Verdict {
        var settings = TokenFixtures.lenient
        settings.binding = fields
        settings.failover = failover
        settings.longLivedIssuers = ["billing"]
        var claims = TokenFixtures.claims
        claims["pay"] = pay.map { .text($0) }
        change(&claims)
        return try await TokenFixtures.verifier(settings).verify(
            ApproovTokenInput(.token(TokenFixtures.token(claims)), binding: bound), at: TokenFixtures.now)
    }

    private static let pair = "71tnS3rSq2lanEWrKz4MoexiOMtv7w0fspfM8BAQKNU="
    private static let values: [ApproovBoundValue] = [.value("Bearer myauth_token"), .value("my-device-id")]

    @Test("The vendor's example values match")
    func known() async throws {
        let custom = "tih+xRFV8PMsDhKthuFdvqWtQpKdT+K8X5W3258EJnU="
        #expect(try await verdict([.value("custom-data")], pay: custom, fields: ["X-Data"]).outcome == .accept)
        #expect(try await verdict(Self.values, pay: Self.pair).outcome == .accept)
    }

    @Test("White space around values is ignored, white space inside is significant")
    func trimming() async throws {
        #expect(
            try await verdict([.value(" \tBearer myauth_token "), .value("my-device-id\t")], pay: Self.pair).failed
                == [])
        for other in ["Bearer  myauth_token", "bearer myauth_token", "Bearer myauth_token\u{A0}", "myauth_token"] {
            let verdict = try await verdict([.value(other), .value("my-device-id")], pay: Self.pair)
            #expect(verdict.failed == [CheckID.approovTokenBinding])
            #expect(verdict.tokenCode(CheckID.approovTokenBinding) == "binding-differs")
        }
    }

    @Test("The order and each of the values are significant", .produces("approov.token.binding", "binding-repeated"))
    func demands() async throws {
        let cases: [([ApproovBoundValue], String)] = [
            (Self.values.reversed(), "binding-differs"), ([], "binding-missing"),
            (Array(Self.values.prefix(1)), "binding-missing"), ([.missing, Self.values[1]], "binding-missing"),
            ([Self.values[0], .missing], "binding-missing"), ([Self.values[0], .value("")], "binding-missing"),
            ([Self.values[0], .value(" \t ")], "binding-missing"), ([.repeated, Self.values[1]], "binding-repeated"),
            (Self.values + [.value("")], "binding-unexpected"), (Self.values + Self.values, "binding-unexpected"),
            ([.value("Bearer myauth_tokenmy-device-id")], "binding-missing"),
        ]
        for (bound, code) in cases {
            let verdict = try await verdict(bound, pay: Self.pair)
            #expect(verdict.failed == [CheckID.approovTokenBinding])
            #expect(verdict.tokenCode(CheckID.approovTokenBinding) == code, "\(bound)")
        }
    }

    @Test("Bound values are hashed without separators, as the vendor does: each must be present")
    func concatenation() async throws {
        let pay = TokenFixtures.digest("abc")
        for bound in [("ab", "c"), ("a", "bc")] {
            #expect(try await verdict([.value(bound.0), .value(bound.1)], pay: pay).failed == [])
        }
        for bound in [("abc", ""), ("", "abc")] {
            #expect(
                try await verdict([.value(bound.0), .value(bound.1)], pay: pay).failed == [CheckID.approovTokenBinding])
        }
    }

    @Test(
        "A token without pay is refused, unless it is a server token or a failover token that the policy accepts",
        .produces("approov.token.binding", "long-lived"))
    func unbound() async throws {
        let app = try await verdict(Self.values, pay: nil)
        #expect(app.failed == [CheckID.approovTokenBinding])
        #expect(app.tokenCode(CheckID.approovTokenBinding) == "not-bound")

        let rejected = try await verdict(Self.values, pay: nil) { $0["did"] = nil }
        #expect(rejected.failed == [CheckID.approovTokenBinding, CheckID.approovTokenFailover])

        let accepted = try await verdict(Self.values, pay: nil, failover: .accept) { $0["did"] = nil }
        #expect(accepted.outcome == .accept)
        #expect(accepted.annotated == [CheckID.approovTokenFailover])
        #expect(accepted.tokenResult(CheckID.approovTokenBinding)?.because == .notApplicable)

        // A device's token never counts as a failover token.
        #expect(try await verdict(Self.values, pay: nil, failover: .accept).failed == [CheckID.approovTokenBinding])

        let server = try await verdict(Self.values, pay: nil) { ($0["did"], $0["iss"]) = (nil, "billing") }
        #expect(server.outcome == .accept)
        #expect(server.approov?.source == .longLived)
        #expect(server.tokenCode(CheckID.approovTokenBinding) == "long-lived")
    }

    @Test("A failover token with a binding is checked against it")
    func boundFailover() async throws {
        let verdict = try await verdict([.value("x"), .value("y")], pay: Self.pair, failover: .accept) {
            $0["did"] = nil
        }
        #expect(verdict.failed == [CheckID.approovTokenBinding])
    }

    @Test("Values beyond the policy's fields are compared too; a pay claim without values is not")
    func beyondPolicy() async throws {
        #expect(try await verdict(Self.values, pay: Self.pair, fields: []).failed == [])
        #expect(try await verdict(Self.values, pay: nil, fields: []).failed == [CheckID.approovTokenBinding])
        #expect(try await verdict([.value("z")], pay: Self.pair, fields: []).failed == [CheckID.approovTokenBinding])
        let unasked = try await verdict([], pay: Self.pair, fields: [])
        #expect(unasked.tokenResult(CheckID.approovTokenBinding)?.because == .policy)
        #expect(unasked.tokenCode(CheckID.approovTokenBinding) == "binding-not-compared")
        #expect(unasked.outcome == .accept)
    }

    @Test("Field names are case-insensitive; a repeated field is `repeated`, even with equal values")
    func fields() {
        let fields = [(name: "authorization", value: "a"), (name: "X-Device-ID", value: "b")]
        #expect(ApproovBoundValue("Authorization", in: fields) == .value("a"))
        #expect(ApproovBoundValue("x-device-id", in: fields) == .value("b"))
        #expect(ApproovBoundValue("X-Device", in: fields) == .missing)
        #expect(ApproovBoundValue("Authorization", in: fields + [(name: "AUTHORIZATION", value: "a")]) == .repeated)
        #expect(ApproovBoundValue("K", in: [(name: "\u{212A}", value: "kelvin")]) == .missing)
    }
}
