import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// The example of the page on signing requests is a request that verifies.
struct SigningExampleTests {
    @Test("The documented request is accepted with the documented key")
    func example() async throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Assay/Documentation.docc/SigningRequests.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let index = try #require(
            lines.firstIndex { $0.hasPrefix("Signature-Input: assay=") && $0.contains(#"tag="android-key""#) })
        let fields = try [lines[index - 1], lines[index], lines[index + 1]].map { line in
            let mark = try #require(line.firstRange(of: ": "))
            return SignedRequest.Field(String(line[..<mark.lowerBound]), String(line[mark.upperBound...]))
        }
        let keyLine = try #require(lines[..<index].last { $0.hasPrefix("`MFkw") })
        let key = try Base64.decode(String(try #require(keyLine.split(separator: "`").first)), .standard)
        let request = SignedRequest(
            method: "POST", targetURI: "https://api.example.com/v1/orders?id=7", fields: fields,
            body: .bytes(Array(#"{"amount":42}"#.utf8)))
        let configuration = try AndroidKeyConfiguration(
            packages: [Fixtures.package], certificateDigests: [Fixtures.digest], challenge: .caller, statusList: .none
        ) { $0.requests = RequestRules() }
        let verdict = try await Fixtures.verifier(configuration).verifyAndroidKeyRequest(
            request, suppliedKey: key, at: Date(timeIntervalSince1970: 1_789_992_000))
        #expect(verdict.outcome == .accept, "\(verdict.failed.map(\.name))")
    }
}
