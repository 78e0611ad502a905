// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import Foundation

/// The Swift examples of CapturingEvidence.md. They are compiled but not run.
struct CaptureExamples {
    let verifier: Verifier
    let input: AssertionInput
    let requestID: String
    let now: Date

    func block1() async throws {
        let capture = try RecordCapture(folder: "/var/lib/shop/captures")  // folder 0700, files 0600
        let verdict = try await verifier.verify(input, at: now)
        // Answer the request, then:
        try capture.append(EvidenceRecord(input, id: requestID, receivedAt: now), verdict: verdict, at: now)
    }
}
