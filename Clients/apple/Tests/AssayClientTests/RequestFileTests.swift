import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where the requests go; nil for no file.
private let requestFolder = ProcessInfo.processInfo.environment["KIT_REQUESTS"]

/// Signed requests for `Clients/verify_requests.py`, which verifies them without the kit and without Assay.
@Suite(.enabled(if: requestFolder != nil, "KIT_REQUESTS does not name a folder"))
struct RequestFileTests {
    @Test func write() throws {
        let phone = TestPhone()
        let key = try phone.generateKey()
        _ = try phone.attestKey(key, clientDataHash: Data(repeating: 7, count: 32))
        var lines = ""
        for (method, url, body) in [
            ("POST", "https://api.example.com/v1/orders?id=7", #"{"amount":42}"#),
            ("GET", "https://API.example.com", ""),
            ("PUT", "https://api.example.com:443/a%20b//c;d?x=%C3%A9&y#f", "é"),
            ("DELETE", "https://api.example.com:8443/v1/", ""),
        ] {
            var request = URLRequest(url: try #require(URL(string: url)))
            request.httpMethod = method
            if !body.isEmpty { request.httpBody = Data(body.utf8) }
            for nonce in [nil, "hk2TsJwTkmw"] {
                let prepared = try PreparedRequest(request)
                let fields = try SignatureFields(
                    prepared.request, digest: prepared.digest, created: 1_789_992_000, nonce: nonce, keyID: key)
                var signed = prepared.request
                fields.write(
                    into: &signed, assertion: try phone.generateAssertion(key, clientDataHash: fields.clientDataHash))
                let line: [String: Any] = [
                    "method": method, "url": try #require(signed.url).absoluteString,
                    "fields": (signed.allHTTPHeaderFields ?? [:]).map { [$0.key, $0.value] },
                    "body": (signed.httpBody ?? Data()).base64EncodedString(),
                    "key": try #require(phone.publicKey(key)).base64EncodedString(),
                    "appID": "1234567890.com.example.shop",
                ]
                lines += String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
            }
        }
        let folder = URL(fileURLWithPath: try #require(requestFolder))
        try Data(lines.utf8).write(to: folder.appendingPathComponent("apple.ndjson"))
    }
}
