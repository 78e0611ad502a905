// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import Foundation

/// The Swift example of Assay's SigningRequests.md for backends. It is compiled but not run.
struct RequestExamples {
    let verifier: Verifier

    func isGenuine(_ request: SignedRequest) async throws -> Bool {
        let verdict = try await verifier.verifyAppAttestRequest(request, app: "shop-ios", at: Date())
        return verdict.outcome == .accept
    }
}
