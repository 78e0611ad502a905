// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Crypto
import Foundation
import FoundationNetworking

/// In place of Apple's class, which no server has. Its assertion is the hash itself, so that a test sees what was signed.
private final class DCAppAttestService: Sendable {
    static let shared = DCAppAttestService()

    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws -> Data { clientDataHash }
}

/// The Swift block of SigningRequests.md of Assay, which a test runs.
public enum SigningExample {
    /// Writes the fields of a request.
    public static func sign(
        _ method: String, _ targetURI: String, contentDigest: String, created: Int, keyID: String,
        _ request: inout URLRequest
    ) async throws {
        let parameters =
            #"("@method" "@target-uri" "content-digest");created=\#(created);keyid="\#(keyID)";tag="app-attest""#
        let base = """
            "@method": \(method)
            "@target-uri": \(targetURI)
            "content-digest": \(contentDigest)
            "@signature-params": \(parameters)
            """
        let assertion = try await DCAppAttestService.shared.generateAssertion(
            keyID, clientDataHash: Data(SHA256.hash(data: Data(base.utf8))))
        request.setValue(contentDigest, forHTTPHeaderField: "Content-Digest")
        request.setValue("assay=" + parameters, forHTTPHeaderField: "Signature-Input")
        request.setValue("assay=:" + assertion.base64EncodedString() + ":", forHTTPHeaderField: "Signature")
    }
}
