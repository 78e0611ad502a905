import AppAttest
import Assay
import AssayCore
import AssayTesting
import Foundation
import InMemoryTracing
import Testing
import Tracing

@Suite("Spans of a verifier")
struct VerifierSpanTests {
    /// The attributes of a span, as text.
    private static func attributes(_ span: FinishedInMemorySpan) -> [String: String] {
        var found: [String: String] = [:]
        span.attributes.forEach { name, value in
            switch value {
            case .string(let text): found[name] = text
            case .stringArray(let texts): found[name] = texts.joined(separator: " ")
            default: Issue.record("\(name) is \(value)")
            }
        }
        return found
    }

    @Test("A verification is a span below that of its task, with kind, outcome, failed checks, code and remedy")
    func verdicts() async throws {
        let tracer = InMemoryTracer()
        let input = Fixtures.input(try Fixtures.attestation())
        let another = Fixtures.input(try Fixtures.attestation(appID: "1234567890.com.example.tea"))
        try await withTracer(tracer) {
            let verifier = Verifier(policy: try Fixtures.policy(), ledger: MemoryLedger())
            try await withSpan("request") { _ in
                _ = try await verifier.verify(input, at: Fixtures.time)
                _ = try await verifier.verify(input, at: Fixtures.time)
                _ = try? await verifier.verify(another, app: "bank", at: Fixtures.time)
            }
        }
        let spans = tracer.finishedSpans
        try #require(spans.map(\.operationName) == ["assay.verify", "assay.verify", "assay.verify", "request"])
        #expect(spans.prefix(3).allSatisfy { $0.parentSpanID == spans[3].spanID && $0.status == nil })
        let common = ["assay.app": "shop", "assay.kind": "app-attest.attestation"]
        #expect(Self.attributes(spans[0]) == common.merging(["assay.outcome": "accept"]) { $1 })
        #expect(
            Self.attributes(spans[1])
                == common.merging([
                    "assay.outcome": "reject", "assay.failed": "app-attest.attestation.enrolment",
                    "assay.code": "key-enrolled", "assay.remedy": "new-attestation",
                ]) { $1 })
        #expect(Self.attributes(spans[2]) == ["assay.code": "unknown-app"])
    }

    @Test("An outage makes the span an error; evidence of one request is assessed and committed in spans")
    func outages() async throws {
        let tracer = InMemoryTracer()
        let ledger = FaultyLedger()
        let input = Fixtures.input(try Fixtures.attestation())
        let record = EvidenceRecord(input, receivedAt: Fixtures.time)
        try await withTracer(tracer) {
            let verifier = Verifier(policy: try Fixtures.policy(), ledger: ledger)
            let assessment = try await verifier.assess(record, ledger: ledger, at: Fixtures.time)
            ledger.follow { operation, _ in operation == .commit ? .outage() : nil }
            _ = try? await verifier.verify(input, at: Fixtures.time)
            _ = try? await verifier.verdicts(of: [assessment], at: Fixtures.time)
            ledger.recover()
            _ = try await verifier.verdicts(of: [assessment], at: Fixtures.time)
        }
        let spans = tracer.finishedSpans
        try #require(spans.map(\.operationName) == ["assay.verify", "assay.commit", "assay.commit"])
        #expect(spans.map { $0.status?.code } == [.error, .error, nil])
        #expect(spans.prefix(2).allSatisfy { Self.attributes($0) == ["assay.code": "unreachable"] })
        #expect(Self.attributes(spans[2])["assay.outcome"] == "accept")
    }

    @Test("A verifier for analysis makes no spans")
    func analysis() async throws {
        let tracer = InMemoryTracer()
        let input = Fixtures.input(try Fixtures.attestation())
        let policy = try Fixtures.policy()
        let record = EvidenceRecord(input, receivedAt: Fixtures.time)
        try await withTracer(tracer) {
            let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
            _ = try await verifier.verify(record, at: Fixtures.time)
        }
        #expect(tracer.finishedSpans.isEmpty)
    }
}
