// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import Foundation

/// The blocks of IssuingTokens.md of Assay. They are compiled and not run.
struct TokenExamples {
    let verifier: Verifier

    func tokens(
        for record: EvidenceRecord, challenge: String, thumbprint: String
    ) async throws -> [String]? {
        let request = TokenRequest(
            record: record, challenge: challenge, audiences: ["https://api.example.com"], keyThumbprint: thumbprint)
        switch try await verifier.issueToken(request, at: Date()) {
        case .issued(let grant, _), .decoy(let grant, _), .concealed(let grant, _): return grant.tokens.map(\.text)
        case .rejected(let verdict):
            print("rejected: \(verdict.failed), remedy: \(verdict.remedy?.rawValue ?? "none")")
            return nil
        @unknown default: return nil
        }
    }

    func isGenuine(_ request: SignedRequest) async throws -> Bool {
        try await verifier.verifyTokenRequest(request, app: "shop", at: Date()).outcome == .accept
    }

    func secrets(
        for record: EvidenceRecord, challenge: String, clientKey: [UInt8]
    ) async throws -> String? {
        let request = try SecretRequest(
            record: record, challenge: challenge, names: ["maps-ios"], x963Representation: clientKey)
        switch try await verifier.deliverSecrets(request, at: Date()) {
        case .sealed(let values, _, _): return values
        case .rejected(let verdict, _):
            print("rejected: \(verdict.failed)")
            return nil
        @unknown default: return nil
        }
    }
}
