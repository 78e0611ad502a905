// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import Foundation

/// The Swift examples of CapturingEvidence.md. They are compiled but not run.
struct CaptureExamples {
    let verifier: Verifier
    let input: AssertionInput
    let requestID: String
    let now: Date
    let publicKey: CapturePublicKey

    func block1() async throws {
        let capture = try RecordCapture(folder: "/var/lib/shop/captures")  // folder 0700, files 0600
        let verdict = try await verifier.verify(input, at: now)
        // Answer the request, then:
        try capture.append(EvidenceRecord(input, id: requestID, receivedAt: now), verdict: verdict, at: now)
    }

    func block2() async throws {
        var options = CaptureOptions()
        options.fields = .seal(to: publicKey)
        options.keepFor = 14 * 86_400  // seconds
        let capture = try SampledCapture(folder: "/var/lib/shop/captures", share: 0.01, options: options)
        let verdict = try await verifier.verify(input, at: now)
        capture.offer(verdict) { EvidenceRecord(input, receivedAt: now) }
        // At the end of the server:
        await capture.close()
    }
}
