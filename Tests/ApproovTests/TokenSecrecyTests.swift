import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// A token is a credential, and a bound value a user's session: no output may contain either.
@Suite("Secrecy of verdicts and descriptions")
struct TokenSecrecyTests {
    private static let session = "Bearer c2Vzc2lvbi1vZi1zb21lYm9keQ"

    /// All output that a program could write about a verdict.
    private func everything(_ verdict: Verdict) -> String {
        var text = "\(verdict) \(verdict.json(id: "x"))"
        dump(verdict, to: &text)
        for result in verdict.checks { text += " \(result) \(result.finding?.detail ?? "")" }
        return text
    }

    /// Whether a piece of twelve characters of a secret occurs in a text. Tries every fourth position.
    private func reveals(_ text: String, _ secret: String) -> Bool {
        let bytes = Array(secret.utf8)
        return stride(from: 0, through: bytes.count - 12, by: 4).contains { start in
            text.contains(String(decoding: bytes[start..<start + 12], as: UTF8.self))
        }
    }

    @Test("No verdict contains the token, a bound value or a secret")
    func verdicts() async throws {
        var settings = TokenFixtures.strict
        settings.tokenPrefix = "Bearer "
        let good = try TokenFixtures.token()
        let foreign = try TokenFixtures.jws(
            TokenFixtures.claims.text, by: TokenFixtures.hs256(TokenFixtures.otherSecret))
        let header = try TokenFixtures.jws(TokenFixtures.claims.text, header: #"{"alg":"none"}"#)
        let verifier = try TokenFixtures.verifier(settings)
        for token in [good, foreign, header, "\(good).", "x\(good)", String(good.dropLast()), "\(good)!"] {
            for session in [TokenFixtures.session, Self.session] {
                for text in [token, "Bearer \(token)"] {
                    let verdict = try await verifier.verify(
                        ApproovTokenInput(token: text, binding: [session]), at: TokenFixtures.now)
                    let told = everything(verdict)
                    #expect(!reveals(told, token))
                    #expect(!reveals(told, Self.session))
                    #expect(!reveals(told, Data(TokenFixtures.secret).base64EncodedString()))
                }
            }
        }
    }

    @Test("Printed and dumped inputs do not contain the token, the bound values or the measurements")
    func inputs() throws {
        let token = try TokenFixtures.token()
        let bound = [ApproovBoundValue.value(Self.session), .missing, .repeated]
        let nonce = [UInt8](repeating: 1, count: 16)
        let key = SecretBytes(Array("0123456789abcdef".utf8))
        let inputs: [Any] = [
            ApproovTokenInput(.token(token), binding: bound), ApproovTokenInput(.loggable(token)),
            ApproovTokenInput.Evidence.token(token), bound,
            ApproovProofInput(nonce: nonce, proof: nonce, source: .token(token)),
            ApproovProofInput(
                nonce: nonce, proof: nonce,
                source: .measurements(.init(proofKey: key, integrity: nil, device: nil))),
        ]
        for input in inputs {
            var text = "\(input) \(String(reflecting: input))"
            dump(input, to: &text)
            #expect(!reveals(text, token))
            #expect(!reveals(text, Self.session))
            #expect(!text.contains("0123456789abcdef"))
            #expect(!text.contains("48, 49, 50"))
        }
        #expect("\(ApproovTokenInput.Evidence.token("abc"))" == "(token of 3 bytes)")
        #expect("\(bound)" == "[(value of \(Self.session.utf8.count) bytes), (missing), (repeated)]")
    }
}
