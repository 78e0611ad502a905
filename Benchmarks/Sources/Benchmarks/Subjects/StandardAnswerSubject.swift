import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// An answer of Google's servers to a standard request, and what it is held against.
struct StandardAnswerSubject: Sendable {
    private static let requestHash = "hash-of-a-request"
    private var body: [UInt8]
    private let now: Date
    private let expectations: PlayIntegrityExpectations

    /// Mints an answer.
    init(now: Date) throws {
        self.now = now
        body =
            StandardAnswerBlueprint(
                packageName: ClassicTokenSubject.packageName, requestHash: Self.requestHash,
                certificateDigests: [ClassicTokenSubject.digest], issuedAt: now
            ).mint().body
        let configuration = try PlayIntegrityConfiguration(
            packageName: ClassicTokenSubject.packageName,
            android: PlayIntegrityConfiguration.AndroidRules(certificateDigests: [ClassicTokenSubject.digest]),
            challenge: .caller)
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "benchmark", configuration)], catalogue: PlayIntegrityEngine.catalogue)
        expectations = PlayIntegrityExpectations(
            app: "benchmark", configuration: configuration, modes: policy.modes)
    }

    /// The same, with an answer in memory of its own.
    func copied() -> StandardAnswerSubject {
        var copy = self
        copy.body = [UInt8](unsafeUninitializedCapacity: body.count) { bytes, count in
            count = bytes.initialize(fromContentsOf: body)
        }
        return copy
    }

    /// Reads the answer and judges it, a number of times.
    @Sendable func assess(_ count: Int) {
        for _ in 0..<count {
            let answer = IntegrityAnswer(json: body)
            let input = StandardIntegrityInput(
                packageName: ClassicTokenSubject.packageName, requestHash: Self.requestHash, evidence: .decoded(answer))
            let assessment = StandardIntegrityAssessor.assess(
                input, answer: answer, from: .caller, expectations: expectations, now: now)
            require(assessment.isAcceptable, "the standard answer does not hold: \(assessment.checks)")
        }
    }
}
