import Assay
import AssayCore
import Foundation

/// One raw blob with what the options say of it.
protocol RawEvidence {
    /// Judges the blob.
    func verify(with verifier: Verifier, app: String?, at now: Date) async throws -> Verdict
}
