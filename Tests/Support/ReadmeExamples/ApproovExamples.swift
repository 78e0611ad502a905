// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import Foundation

/// The Swift examples of Assay's VerifyingApproov.md. They are compiled but not run.
struct ApproovExamples {
    let verifier: Verifier
    let token: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    let signature: String
    let authorization: String

    func block1() async throws {
        func isGenuine(token: String, authorization: String, client: String) async throws -> Bool {
            let input = ApproovTokenInput(token: token, binding: [authorization], address: client)
            let verdict = try await verifier.verify(input, app: "api", at: Date())
            let subject = verdict.approov
            // Claims of a token that is not authentic are for log messages and support only.
            print(subject?.responseCode ?? subject?.claimed?.responseCode ?? "no ARC", subject?.deviceID ?? "no device")
            return verdict.outcome == .accept
        }
    }

    func block2() async throws {
        let values = [ApproovBoundValue("Authorization", in: headers)]
        let input = ApproovTokenInput(.token(token), binding: values)
    }

    func block3() async throws {
        let input = ApproovMessageInput(
            method: "POST", targetURI: "https://api.example.com/v1/items?a=1",
            fields: headers.map { .init($0.name, $0.value) }, body: .bytes(body))
        let verdict = try await verifier.verify(input, app: "api", at: Date())
    }

    func block4() async throws {
        let input = ApproovTextInput(
            token: token, text: "order 7, EUR 10.00, \(token)", signature: signature, binding: [.value(authorization)])
        let verdict = try await verifier.verify(input, app: "api", at: Date())
    }

    func block5() async throws {
        func measurementToken(for verdict: Verdict, hardware: MeasurementToken.PublicKey) throws -> String? {
            guard verdict.outcome == .accept, let claims = verdict.approov?.claims else { return nil }
            return try MeasurementToken(claims, validFor: 90 * 86_400, at: Date())?.sealed(for: hardware)
        }
    }

    func block6() async throws {
        func isProven(_ sealed: String, nonce: [UInt8], proof: [UInt8], key: MeasurementToken.PrivateKey) async throws
            -> Bool
        {
            let token = try MeasurementToken(opening: sealed, with: key, at: Date())
            let input = ApproovProofInput(nonce: nonce, proof: proof, source: .measurements(token.measurements))
            return try await verifier.verify(input, at: Date()).outcome == .accept
        }
    }
}
