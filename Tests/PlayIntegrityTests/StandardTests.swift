import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import PlayIntegrity
import Synchronization
import Testing

/// A standard token is judged by Google's answer on it, from any source.
@Suite("Play Integrity standard")
struct StandardTests {
    private typealias Decoder = FixedDecoder

    private static func body(_ payload: JSON) -> String { FixedDecoder.body(payload) }

    private func input(_ token: String = FixedDecoder.token) -> StandardIntegrityInput { FixedDecoder.input(token) }

    @Test("A token is sent to the call of the app's platform, and the answer is judged without a remark")
    func decoded() async throws {
        for (payload, rules, form) in [
            (Fixtures.standard, Fixtures.rules(), "android"), (Fixtures.pc, nil, "pc"),
        ] as [(JSON, PlayIntegrityConfiguration.AndroidRules?, String)] {
            let decoder = Decoder(.success(Self.body(payload)))
            let verifier = try Fixtures.verifier(Fixtures.configuration(android: rules), services: [decoder])
            let verdict = try await verifier.verify(input(), at: Fixtures.now)
            #expect(verdict.outcome == .accept)
            #expect(verdict.result(CheckID.playIntegrityDecode)?.finding == nil)
            #expect(verdict.playIntegrity?.key == nil)
            #expect(decoder.asked.withLock { $0 } == ["\(FixedDecoder.token) com.example.shop \(form)"])
        }
    }

    @Test(
        "A token has one spelling: padding, the other alphabet, spare bits and empty parts are refused without a call to Google",
        .produces("play-integrity.decode", "token-not-canonical"),
        arguments: [
            ("QQ==", "token-not-canonical"), ("QQ=", "token-not-canonical"), ("A", "token-not-canonical"),
            ("A=", "token-not-canonical"), ("A==", "token-not-canonical"), ("QR", "token-not-canonical"),
            ("QUJD=", "token-not-canonical"), ("QUI=", "token-not-canonical"), ("QUJ", "token-not-canonical"),
            ("-_+/", "token-not-canonical"), ("QUJD+A", "token-not-canonical"), ("QUJD/A", "token-not-canonical"),
            ("QUJD.", "token-not-canonical"), (".QUJD", "token-not-canonical"), ("QUJD..QQ", "token-not-canonical"),
            ("QUJD.QQ==", "token-not-canonical"), ("QUJD~", "invalid-text"), ("QUJD ", "invalid-text"),
            ("QUJD\n", "invalid-text"), ("QUJD\u{E9}", "invalid-text"), ("", "truncated"),
            (String(repeating: "A", count: 65_540), "too-large"),
        ])
    func spellings(token: String, code: String) async throws {
        let decoder = Decoder(.success(Self.body(Fixtures.standard)))
        let verdict = try await Fixtures.verifier(services: [decoder])
            .verify(input(token), at: Fixtures.now)
        #expect(verdict.failed == [CheckID.playIntegrityDecode])
        #expect(verdict.code(CheckID.playIntegrityDecode) == code)
        #expect(decoder.asked.withLock { $0 } == [])
    }

    @Test(
        "Tokens of every valid base64url length, and with periods between parts, are sent",
        arguments: ["QQ", "QUI", "QUJD", "eyJ9.QQ.-_-_"])
    func canonical(token: String) async throws {
        let verdict = try await Fixtures.verifier(services: [Decoder(.success(Self.body(Fixtures.standard)))])
            .verify(input(token), at: Fixtures.now)
        #expect(verdict.outcome == .accept)
    }

    @Test("A token without a service is a wrong call; an outage of the service is an outage of the verifier")
    func services() async throws {
        let alone = await #expect(throws: VerificationError.self) {
            try await Fixtures.verifier().verify(input(), at: Fixtures.now)
        }
        guard case .request(let request)? = alone else {
            Issue.record("expected a wrong call")
            return
        }
        #expect(request.reason == .noService)
        let decoder = Decoder(.failure(IntegrityDecoderOutage(.quota, "no more today")))
        let out = await #expect(throws: VerificationError.self) {
            try await Fixtures.verifier(services: [decoder]).verify(input(), at: Fixtures.now)
        }
        guard case .outage(let outage)? = out else {
            Issue.record("expected an outage")
            return
        }
        #expect(outage.code.name == "quota")
    }

    @Test("Google's refusal is a rejection with its status and message")
    func refused() async throws {
        let json =
            #"{"error":{"code":400,"message":"Integrity token cannot be decrypted\u000a","status":"INVALID_ARGUMENT"}}"#
        for evidence in [input(), Fixtures.answer(json: json)] {
            let verdict = try await Fixtures.verifier(
                Fixtures.configuration(answers: .caller), services: [Decoder(.success(json))]
            )
            .verify(evidence, at: Fixtures.now)
            #expect(verdict.failed == [CheckID.playIntegrityDecode])
            #expect(verdict.code(CheckID.playIntegrityDecode) == "google-refused")
            let detail = verdict.result(CheckID.playIntegrityDecode)?.finding?.detail ?? ""
            #expect(detail.contains("400 INVALID_ARGUMENT"))
            #expect(detail.hasSuffix(#"Integrity token cannot be decrypted\n"#))
            #expect(verdict.result(CheckID.playIntegrityChallenge)?.because == .check(.playIntegrityDecode))
        }
    }

    @Test("A refusal that quotes the token or the credential is reported without them")
    func refusedWithEcho() async throws {
        let (token, credential) = (String(repeating: "tok3n", count: 20), String(repeating: "ya29.", count: 20))
        let json = """
            {"error":{"code":400,"message":"Invalid value: \(token) (Bearer \(credential))","status":"INVALID_ARGUMENT"}}
            """
        let verdict = try await Fixtures.verifier().verify(
            Fixtures.answer(json: json), at: Fixtures.now)
        let detail = verdict.result(CheckID.playIntegrityDecode)?.finding?.detail ?? ""
        #expect(detail.hasSuffix("(400 INVALID_ARGUMENT): Invalid value: (...) (Bearer (...)"), "\(detail)")
        #expect(!detail.contains("tok3n") && !detail.contains("ya29"))
    }

    @Test(
        "An answer of another form fails to decode",
        arguments: [
            ("", "truncated"), ("<html>", "malformed"), ("[]", "unexpected-type"), ("{}", "missing"),
            (#"{"tokenPayloadExternal":[]}"#, "unexpected-type"),
            (#"{"tokenPayloadExternal":null}"#, "missing"),
            (#"{"error":"no"}"#, "unexpected-type"), (#"{"error":{}}"#, "google-refused"),
            (#"{"error":{},"tokenPayloadExternal":{}}"#, "unexpected"),
            (#"{"tokenPayloadExternal":{},"tokenPayloadExternal":{}}"#, "duplicate-key"),
            ("{\"requestDetails\":{}}", "missing"), ("\u{FEFF}{\"tokenPayloadExternal\":{}}", "malformed"),
            (Self.body(Fixtures.standard) + "x", "trailing-bytes"),
            (String(Self.body(Fixtures.standard).dropLast(30)), "truncated"),
            (String(repeating: " ", count: 300_000), "too-large"),
        ])
    func otherForms(json: String, code: String) async throws {
        let verdict = try await Fixtures.verifier().verify(
            Fixtures.answer(json: json), at: Fixtures.now)
        #expect(verdict.failed == [CheckID.playIntegrityDecode])
        #expect(verdict.code(CheckID.playIntegrityDecode) == code)
        #expect(verdict.subject == nil)
    }

    @Test("A malformed payload fails the payload check, which names its byte in the answer")
    func payload() async throws {
        let json = #"{"tokenPayloadExternal":{"requestDetails":{"requestHash":1}}}"#
        let verdict = try await Fixtures.verifier().verify(
            Fixtures.answer(json: json), at: Fixtures.now)
        #expect(verdict.failed == [CheckID.playIntegrityPayload])
        let error = verdict.result(CheckID.playIntegrityPayload)?.finding as? DecodeError
        #expect(error?.offset == 57)
        #expect(error?.field == "requestDetails.requestHash")
    }

    @Test("A request hash is compared byte by byte, and an empty one matches nothing")
    func requestHashes() async throws {
        for (sent, given, isAccepted) in [
            ("\u{E9}", "\u{E9}", true), ("\u{E9}", "e\u{301}", false), ("a", "a ", false), ("", "", false),
            ("K", "\u{212A}", false), ("aGVsbG8", "aGVsbG8=", false),
        ] {
            var payload = Fixtures.standard
            payload["requestDetails.requestHash"] = .text(sent)
            let input = StandardIntegrityInput(
                packageName: Fixtures.packageName, requestHash: given, evidence: Fixtures.answer(payload).evidence)
            let verdict = try await Fixtures.verifier().verify(input, at: Fixtures.now)
            #expect(verdict.failed == (isAccepted ? [] : [CheckID.playIntegrityRequestHash]))
        }
    }
}
