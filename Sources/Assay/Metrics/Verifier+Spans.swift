import AssayCore
import FoundationEssentials
import Tracing

extension Verifier {
    /// Whether a tracer is set up. Asking for it takes a lock, so a verifier asks once.
    static var hasTracer: Bool { !(InstrumentationSystem.instrument is NoOpInstrument) }

    /// ``counted(at:hasDeviceCheck:_:)`` in a span.
    @inline(never)
    func traced(
        at now: Date, hasDeviceCheck: Bool, _ assess: () async throws(VerificationError) -> Assessment
    ) async throws(VerificationError) -> Verdict {
        try await withVerificationSpan("assay.verify") { () async throws(VerificationError) in
            try await counted(at: now, hasDeviceCheck: hasDeviceCheck, assess)
        } note: {
            $1.note($0)
        }
    }

    /// Makes a call in a span that gets its result. Attributes have the names of the log, and never evidence, keys,
    /// accounts or addresses.
    func withVerificationSpan<Value>(
        _ name: String, _ call: () async throws(VerificationError) -> Value, note: (Value, any Span) -> Void
    ) async throws(VerificationError) -> Value {
        try await withSpan(name) { span -> Result<Value, VerificationError> in
            do throws(VerificationError) {
                let value = try await call()
                note(value, span)
                return .success(value)
            } catch {
                span.note(error)
                return .failure(error)
            }
        }.get()
    }
}

extension Span {
    func note(_ assessment: Assessment) {
        attributes["assay.kind"] = assessment.kind.name
        if let app = assessment.app { attributes["assay.app"] = app }
    }

    func note(_ verdict: Verdict) {
        attributes["assay.kind"] = verdict.kind.name
        if let app = verdict.app { attributes["assay.app"] = app }
        attributes["assay.outcome"] = verdict.outcome.rawValue
        guard verdict.outcome == .reject else { return }
        attributes["assay.failed"] = verdict.failed.map(\.name)
        attributes["assay.code"] = verdict.failed.first.flatMap { verdict.check($0)?.finding?.code }
        attributes["assay.remedy"] = verdict.remedy?.rawValue
    }

    /// Only an outage is an error of this process.
    fileprivate func note(_ error: VerificationError) {
        switch error {
        case .outage(let outage):
            attributes["assay.code"] = outage.code.name
            setStatus(SpanStatus(code: .error))
        case .request(let error): attributes["assay.code"] = error.code
        case .record: attributes["assay.code"] = "record"
        }
    }
}
