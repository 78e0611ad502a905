import AssayTesting
import Foundation
import Testing

@Suite("Minted answers of Google's decode calls")
struct StandardAnswerTests {
    @Test("an answer on a genuine token of Android has the request hash in place of the nonce")
    func android() throws {
        let answer = StandardAnswerBlueprint(
            packageName: "com.example.shop", requestHash: "a/b+c=", certificateDigests: [], issuedAt: Fixtures.time
        ).mint()
        let request = try #require(answer.answer[path: ["tokenPayloadExternal", "requestDetails"]])
        #expect(
            request.text
                == #"{"requestPackageName":"com.example.shop","timestampMillis":"1776795192000","requestHash":"a/b+c="}"#
        )
        #expect(answer.body == answer.answer.encoded)
    }

    @Test("an answer on a token of a PC has a time in RFC 3339 and the one label")
    func pc() throws {
        let answer = StandardAnswerBlueprint(
            pcPackageName: "com.example.game", requestHash: "x", issuedAt: Fixtures.time.addingTimeInterval(0.25)
        ).mint()
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"tokenPayloadExternal":{"requestDetails":{"requestPackageName":"com.example.game","#
                + #""requestTime":"2026-04-21T18:13:12.250Z","requestHash":"x"},"#
                + #""deviceIntegrity":{"deviceRecognitionVerdict":["MEETS_PC_INTEGRITY"]}}}"#)
    }

    @Test("the record carries the answer as an object, and an error in its place")
    func record() throws {
        var blueprint = StandardAnswerBlueprint(
            packageName: "com.example.shop", requestHash: "x", certificateDigests: [], issuedAt: Fixtures.time)
        blueprint.changeAnswer = {
            $0 = StandardAnswerBlueprint.error(code: 400, message: "no", status: "INVALID_ARGUMENT")
        }
        let text = try blueprint.mint().record(id: "x").json
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let evidence = try #require(json?["evidence"] as? [String: Any])
        let decoded = try #require(evidence["decoded"] as? [String: [String: Any]])
        #expect(decoded["error"]?["status"] as? String == "INVALID_ARGUMENT")
        #expect(decoded["error"]?["code"] as? Int == 400)
        blueprint.changeAnswer = { $0 = .raw("{") }
        #expect(throws: MintingError.self) { try blueprint.mint().record(id: "x") }
    }
}
