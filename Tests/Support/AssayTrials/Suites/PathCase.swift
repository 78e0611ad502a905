import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation

/// A certificate path of a suite: trust anchors, certificates, time and expected result.
struct PathCase: Sendable {
    let id: String
    let isAccepted: Bool
    let anchors: [Data]
    let intermediates: [Data]
    let leaf: Data
    let now: Date

    /// Decodes the certificates and validates the path. Certificates that cannot be decoded are left out; without a
    /// leaf there is no path.
    func isAccepted(by validator: CertificatePathValidator) -> Bool { objection(by: validator) == nil }

    /// The reason for the rejection; nil if the path is valid.
    private func objection(by validator: CertificatePathValidator) -> String? {
        do {
            let leaf = try Certificate(der: Array(leaf)[...])
            _ = try validator.validate(leaf, intermediates: PathCase.decode(intermediates), at: now).get()
            return nil
        } catch let error as PathFailure {
            return "\(error.code): \(error.detail)"
        } catch {
            return "\(error)"
        }
    }

    func makeValidator() -> CertificatePathValidator {
        CertificatePathValidator(anchors: PathCase.decode(anchors), algorithms: .ecdsaAndRSA)
    }

    private static func decode(_ certificates: [Data]) -> [Certificate] {
        certificates.compactMap { try? Certificate(der: Array($0)[...]) }
    }

    /// Judges each case three times: with a new validator, with the same one again, which may have cached the issuers,
    /// and with one that has seen all other cases with the same trust anchors. Demands equal results and a limited
    /// duration.
    static func record(_ cases: [PathCase], in report: inout SuiteReport) {
        let shared = Dictionary(grouping: cases, by: \.anchors).mapValues { group in
            let validator = group[0].makeValidator()
            for test in group { _ = test.isAccepted(by: validator) }
            return validator
        }
        for test in cases {
            let validator = test.makeValidator()
            var objection: String?
            var isAcceptedAgain = false
            let time = ProcessorTime.measure {
                objection = test.objection(by: validator)
                isAcceptedAgain = test.isAccepted(by: validator)
            }
            let isAccepted = objection == nil
            report.require(isAcceptedAgain == isAccepted, "\(test.id) is judged otherwise again")
            report.require(time < .milliseconds(500) * Sanitizer.slowdown, "\(test.id) takes \(time)")
            if let validator = shared[test.anchors] {
                report.require(
                    test.isAccepted(by: validator) == isAccepted, "\(test.id) is judged otherwise among others")
            }
            report.record(test.id, expected: test.isAccepted, accepted: isAccepted, because: objection)
        }
    }
}
