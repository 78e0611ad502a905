import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct ServiceAccountTests {
    @Test("a key file of Google's form is read")
    func reads() throws {
        let account = try ServiceAccount(json: TestAccount.file(tokenURL: "https://oauth2.googleapis.com/token"))
        #expect(account.email == TestAccount.email)
        #expect(account.keyID == TestAccount.keyID)
        #expect(account.tokenURL.text == "https://oauth2.googleapis.com/token")
    }

    @Test("descriptions and dumps show nothing of the key")
    func showsNoKey() throws {
        let account = try ServiceAccount(json: TestAccount.file(tokenURL: "https://oauth2.googleapis.com/token"))
        var dumped = ""
        dump(account, to: &dumped)
        let line = TestAccount.privateKey.split(separator: "\n")[3]
        for text in [dumped, String(describing: account), String(reflecting: account)] {
            #expect(!text.contains(line))
            #expect(!text.contains("PRIVATE KEY"))
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let part: String
        let code: String
        let value: String?
        var testDescription: String { "\(part): \(code)" }
    }

    @Test(
        "a member that is missing or wrong is named",
        arguments: [
            Refusal(part: "type", code: "missing-part", value: nil),
            Refusal(part: "type", code: "wrong-type", value: "authorized_user"),
            Refusal(part: "client_email", code: "missing-part", value: nil),
            Refusal(part: "client_email", code: "malformed", value: "no address"),
            Refusal(part: "client_email", code: "malformed", value: "new@line\n"),
            Refusal(part: "private_key_id", code: "missing-part", value: nil),
            Refusal(part: "private_key_id", code: "unexpected-length", value: ""),
            Refusal(part: "token_uri", code: "missing-part", value: nil),
            Refusal(part: "token_uri", code: "malformed", value: "http://oauth2.googleapis.com/token"),
            Refusal(part: "private_key", code: "missing-part", value: nil),
            Refusal(part: "private_key", code: "not-pem", value: "MIIEvQIBADANBgkq"),
            Refusal(
                part: "private_key", code: "malformed",
                value: "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"),
        ])
    func refuses(_ refusal: Refusal) throws {
        let file = try TestAccount.file(
            tokenURL: "https://oauth2.googleapis.com/token", changing: [refusal.part: refusal.value])
        let error = #expect(throws: KeyError.self) { try ServiceAccount(json: file) }
        #expect(error?.part == refusal.part)
        #expect(error?.code == refusal.code)
    }

    @Test(
        "text that is not a JSON object is reported without a quotation",
        arguments: ["", "-----BEGIN PRIVATE KEY-----", "[]", #"{"a":1,"a":2}"#, #"{"type":"service_account",}"#])
    func refusesText(_ text: String) throws {
        let error = #expect(throws: KeyError.self) { try ServiceAccount(json: SecretBytes(text.utf8)) }
        #expect(error?.code == "malformed")
        #expect(error?.message.contains("at byte") == true)
    }

    @Test("a file beyond the limit is refused before it is read")
    func refusesLargeFile() throws {
        let error = #expect(throws: KeyError.self) {
            try ServiceAccount(json: SecretBytes([UInt8](repeating: 0x20, count: ServiceAccount.limit + 1)))
        }
        #expect(error?.code == "too-large")
    }
}
