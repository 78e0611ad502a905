import Approov
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// Hostile messages with a signature that two readers could read differently.
@Suite("Hostile Approov messages")
struct MessageHostileTests {
    struct Attack: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: String
        let apply: @Sendable (inout MessageFixture) -> Void

        init(_ description: String, _ expected: String, _ apply: @escaping @Sendable (inout MessageFixture) -> Void) {
            testDescription = description
            self.expected = "approov.message." + expected
            self.apply = apply
        }

        /// A change to the text of a field after signing.
        static func field(
            _ description: String, _ expected: String, _ name: String, _ change: @escaping @Sendable (String) -> String
        ) -> Attack {
            Attack(description, expected) {
                $0.changeFields = { fields in
                    fields = fields.map { $0.name == name ? .init(name, change($0.value)) : $0 }
                }
            }
        }
    }

    private static let fields = [
        Attack.field("an empty Signature-Input", "decode label-without-input", "Signature-Input") { _ in "" },
        .field("an empty Signature", "decode label-without-signature", "Signature") { _ in "" },
        .field("the label twice", "decode duplicate-key", "Signature-Input") { "\($0), \($0)" },
        .field("the label twice in Signature", "decode duplicate-key", "Signature") { "\($0), \($0)" },
        .field("a parameter twice", "decode duplicate-key", "Signature-Input") { $0 + ";created=1" },
        .field("an unknown parameter", "decode unknown-parameter", "Signature-Input") { $0 + ";future" },
        .field("the label only in Signature", "decode label-without-input", "Signature-Input") {
            $0.replacingOccurrences(of: "install", with: "other")
        },
        .field("the label in other letters", "decode malformed", "Signature-Input") {
            $0.replacingOccurrences(of: "install", with: "Install")
        },
        .field("components that are tokens", "decode unexpected-type", "Signature-Input") {
            $0.replacingOccurrences(of: "\"@method\"", with: "method")
        },
        .field("no list", "decode unexpected-type", "Signature-Input") { _ in "install=1" },
        .field("a label that stands alone", "decode unexpected-type", "Signature-Input") { _ in "install" },
        .field("a time that is text", "decode unexpected-type", "Signature-Input") {
            $0.replacingOccurrences(of: "created=\(MessageFixture.seconds - 2)", with: "created=\"x\"")
        },
        .field("a time with a fraction", "decode unexpected-type", "Signature-Input") {
            $0.replacingOccurrences(of: "created=\(MessageFixture.seconds - 2)", with: "created=1790000000.5")
        },
        .field("a time of 16 digits", "decode too-large", "Signature-Input") {
            $0.replacingOccurrences(of: "created=\(MessageFixture.seconds - 2)", with: "created=1000000000000000")
        },
        .field("a folded Signature-Input", "decode malformed", "Signature-Input") {
            $0.replacingOccurrences(of: ";alg", with: "\r\n ;alg")
        },
        .field("a folded Signature", "decode malformed", "Signature") { $0 + "\r\n x" },
        .field("64 KiB", "decode too-large", "Signature-Input") { $0 + String(repeating: " ", count: 70_000) + "," },
        .field("a comma at the end", "decode truncated", "Signature") { $0 + "," },
        .field("base64 with stray bits", "decode not-minimal", "Signature") { _ in "install=:AB==:" },
        .field("base64 without padding", "decode unexpected-length", "Signature") { _ in "install=:AA:" },
        .field("a String in place of bytes", "decode unexpected-type", "Signature") {
            $0.replacingOccurrences(of: ":", with: "\"")
        },
        .field("half a signature", "decode wrong-length", "Signature") { _ in
            "install=:\(Data(count: 32).base64EncodedString()):"
        },
        .field("zeros", "signature signature-invalid", "Signature") { _ in
            "install=:\(Data(count: 64).base64EncodedString()):"
        },
        .field("respelled components", "signature signature-invalid", "Signature-Input") {
            $0.replacingOccurrences(of: "\"@method\" \"@target-uri\"", with: "\"@target-uri\" \"@method\"")
        },
    ]

    private static let signed = [
        Attack("both fields empty", "decode no-signature") {
            $0.changeFields = { fields in
                fields = fields.map { $0.name.hasPrefix("Signature") ? .init($0.name, "") : $0 }
            }
        },
        Attack("no field Signature", "decode signature-missing") {
            $0.changeFields = { fields in fields.removeAll { $0.name == "Signature" } }
        },
        Attack("the label only in Signature-Input", "decode label-without-signature") {
            $0.changeFields = { fields in fields[fields.count - 1] = .init("Signature", "other=:AAAA:") }
        },
        Attack("a signature of another label", "decode other-label") { $0.label = "other" },
        Attack("DER", "decode der-signature") { $0.writeSignature = { $0.der } },
        Attack("another algorithm", "decode algorithm-not-allowed") {
            $0.parameters = ";alg=\"hmac-sha256\";created=\($0.created)"
        },
        Attack("no algorithm at all", "decode algorithm-not-allowed") { $0.parameters = ";alg=\"none\";created=1" },
        Attack("a component twice", "decode duplicate-key") { $0.components = [#""@method""#, #""@method""#] },
        Attack("a component in capitals", "components invalid-name") { $0.components = [#""Approov-Token""#] },
        Attack("a field that is not there", "components not-in-message") {
            $0.components = [#""@method""#, #""@target-uri""#, #""approov-token""#, #""x-gone""#]
        },
        Attack("a component of a response", "components not-in-message") { $0.components = [#""@status""#] },
        Attack("a component that nobody knows", "components unknown-component") { $0.components = [#""@body""#] },
        Attack("the parameters themselves", "components unknown-component") {
            $0.components = [#""@signature-params""#]
        },
        Attack("bs", "components component-parameter") { $0.components = [#""approov-token";bs"#] },
        Attack("req", "components component-parameter") { $0.components = [#""@method";req"#] },
        Attack("tr", "components component-parameter") { $0.components = [#""approov-token";tr"#] },
        Attack("sf", "components component-parameter") { $0.components = [#""content-digest";sf"#] },
        Attack("key", "components component-parameter") { $0.components = [#""content-digest";key="sha-256""#] },
        Attack("an unknown parameter", "components component-parameter") { $0.components = [#""@method";x"#] },
        Attack("only a query parameter", "components not-covered") {
            $0.components = [#""@query-param";name="a""#]
            $0.signedValues["@query-param"] = "1"
        },
        Attack("a query parameter that comes twice", "components ambiguous") {
            $0.targetURI += "&a=2"
            $0.components = [#""@query-param";name="a""#]
        },
        Attack("the path in place of the URI", "components not-covered") {
            $0.components = [#""@method""#, #""@path""#, #""approov-token""#]
            $0.signedValues["@path"] = "/v1/items"
        },
        Attack("a folded field", "components invalid-value") {
            $0.fields = [.init("X-Folded", "a\r\n b")]
            $0.components = [#""@method""#, #""@target-uri""#, #""approov-token""#, #""x-folded""#]
        },
        Attack("a line break in the method", "components invalid-value") { $0.method = "GET\n\"x\": y" },
        Attack("a line break in the URI", "components invalid-value") { $0.targetURI += "\n\"x\": y" },
        Attack("an empty URI", "components not-in-message") { $0.targetURI = "" },
        Attack("a fragment", "components uri-with-fragment") { $0.targetURI += "#top" },
        Attack("created long ago", "freshness too-old") { $0.parameters = ";created=-999999999999999" },
        Attack("created at the end of time", "freshness from-the-future") {
            $0.parameters = ";created=999999999999999"
        },
        Attack("expires at the beginning of time", "freshness expires-before-created") {
            $0.parameters = ";created=\($0.created);expires=-999999999999999"
        },
        Attack("a digest twice", "content-digest duplicate-key") {
            $0 = .post()
            $0.contentDigest = MessageFixture.digestText($0.body) + "," + MessageFixture.digestText($0.body)
        },
        Attack("a digest as a String", "content-digest unexpected-type") {
            $0 = .post()
            $0.contentDigest = MessageFixture.digestText($0.body).replacingOccurrences(of: ":", with: "\"")
        },
        Attack("an empty Content-Digest", "content-digest no-known-algorithm") {
            $0 = .post()
            $0.contentDigest = " "
        },
    ]

    @Test("a hostile message is refused by the check that it attacks", arguments: fields + signed)
    func attack(_ attack: Attack) async throws {
        var fixture = MessageFixture()
        attack.apply(&fixture)
        #expect(try await fixture.verdict(MessageSigning(signer: .installation)).failures == [attack.expected])
    }

    @Test("a digest of another body is refused even if its field precedes the covered one")
    func doubledDigest() async throws {
        let fixture = MessageFixture.post()
        let minted = try fixture.mint()
        let other = Array("mallory".utf8)
        for fields in [
            [.init("Content-Digest", MessageFixture.digestText(other))] + minted.fields,
            minted.fields + [.init("content-digest", MessageFixture.digestText(other))],
        ] {
            let input = ApproovMessageInput(
                method: minted.method, targetURI: minted.targetURI, fields: fields, body: .bytes(other))
            let verifier = try MessageFixture.verifier(MessageSigning(signer: .installation))
            let verdict = try await verifier.verify(input, at: MessageFixture.now)
            #expect(verdict.failed == [CheckID.approovMessageSignature])
        }
    }

    @Test("a fragment is refused for every set of components, even if the signature does not cover it")
    func uncoveredFragment() async throws {
        for component in ["@path", "@query", "@request-target"] {
            var fixture = MessageFixture()
            fixture.components = [#""@method""#, "\"\(component)\"", #""approov-token""#]
            fixture.signedValues = [
                "@path": "/v1/items", "@query": "?a=1&b=2", "@request-target": "/v1/items?a=1&b=2",
            ]
            let signing = MessageSigning(
                signer: .installation, components: ["@method", component, "approov-token"])
            #expect(try await fixture.verdict(signing).outcome == .accept)
            fixture.targetURI += "#x?admin=1"
            #expect(try await fixture.verdict(signing).failures == ["approov.message.components uri-with-fragment"])
        }
    }

    @Test("no finding shows the token or the signature")
    func secrets() async throws {
        for attack in Self.fields + Self.signed {
            var fixture = MessageFixture()
            attack.apply(&fixture)
            let verdict = try await fixture.verdict(MessageSigning(signer: .installation))
            let input = try fixture.mint()
            let signature = input.fields.last { $0.name == "Signature" }?.value.dropFirst(12).prefix(24) ?? ""
            for check in verdict.checks {
                let text = check.finding?.detail ?? ""
                #expect(!text.contains(try fixture.token.suffix(20)))
                #expect(signature.count < 24 || !text.contains(signature))
            }
        }
    }
}
