import AppAttest
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// A share of evidence is written in the background: nothing waits for the disk, and what is lost is counted.
@Suite("Sampled captures")
struct SampledCaptureTests {
    /// The verdict on an attestation without a key: there is nothing by which to choose it.
    private static func rejection() async throws -> Verdict {
        let input = AttestationInput(keyID: [1], attestation: [2], clientData: .data([3]))
        let verdict = try await Fixtures.verifier().verify(input, at: Fixtures.time)
        try #require(verdict.outcome == .reject && verdict.subject == nil)
        return verdict
    }

    private static func isTaken(_ verdict: Verdict, by capture: SampledCapture) -> Bool {
        var isTaken = false
        capture.offer(verdict) {
            isTaken = true
            return nil
        }
        return isTaken
    }

    @Test("Evidence without a key is chosen by the seed, in about the share")
    func share() async throws {
        let verdict = try await Self.rejection()
        func choice(_ share: Double, seed: UInt64) throws -> [Bool] {
            let capture = try SampledCapture(GatedWriter(), share: share, seed: seed)
            let choice = (0..<10_000).map { _ in Self.isTaken(verdict, by: capture) }
            #expect(capture.count(.unrecordable) == choice.count { $0 })
            return choice
        }
        let first = try choice(0.1, seed: 1)
        #expect((800...1200).contains(first.count { $0 }))
        #expect(try first == choice(0.1, seed: 1))
        #expect(try first != choice(0.1, seed: 2))
        #expect(try choice(1, seed: 1).allSatisfy { $0 })
        for share in [0, -1, 1.001, .nan] {
            #expect(throws: CaptureError.self) { try SampledCapture(GatedWriter(), share: share) }
        }
    }

    @Test("All evidence of a captured key is captured, whatever the seed")
    func keys() async throws {
        let captures = try (1...3).map { try SampledCapture(GatedWriter(), share: 0.5, seed: $0) }
        var chosen: Set<Bool> = []
        for number in 0..<16 {
            let key = AttestedKey(seed: "sampled", label: "\(number)")
            let verifier = try Fixtures.verifier()
            let verdicts = [
                try await verifier.verify(Fixtures.attestation(of: key), at: Fixtures.time),
                try await verifier.verify(Fixtures.assertion(of: key, counter: 1), at: Fixtures.time),
                try await verifier.verify(Fixtures.assertion(of: key, counter: 1), at: Fixtures.time),
            ]
            #expect(verdicts.map(\.outcome) == [.accept, .accept, .reject])
            let choice = Set(verdicts.flatMap { verdict in captures.map { Self.isTaken(verdict, by: $0) } })
            #expect(choice.count == 1, "key \(number)")
            chosen.formUnion(choice)
        }
        #expect(chosen.count == 2)
    }

    @Test("Evidence for which nothing vouches takes a bounded part, and none from genuine evidence")
    func unproven() async throws {
        let junk = try await Self.rejection()
        let genuine = try await Fixtures.verifier().verify(Fixtures.attestation(), at: Fixtures.time)
        let writer = GatedWriter()
        let capture = try SampledCapture(writer, share: 1)
        for number in 0..<SampledCapture.maximumUnproven + 5 { capture.offer(junk) { Fixtures.record("\(number)") } }
        for number in 0..<100 { capture.offer(genuine) { Fixtures.record("genuine \(number)") } }
        await capture.close()
        #expect(capture.count(.dropped) == 5 && capture.count(.written) == SampledCapture.maximumUnproven + 100)
        #expect(writer.written.count { $0.hasPrefix("genuine") } == 100)
    }

    @Test("Which keys are captured depends on the public key, and a folder for others to write to is refused")
    func salt() throws {
        var options = CaptureOptions()
        let plain = options.salt
        let salts = try (0..<2).map { _ in
            options.fields = .seal(to: try CapturePrivateKey.make().publicKey)
            #expect(options.salt == options.salt)
            return options.salt
        }
        #expect(Set(salts + [plain]).count == 3)
        let folder = try TestFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("open"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path("open"))
        let error = #expect(throws: CaptureError.self) {
            try SampledCapture(folder: folder.path("open"), share: 1, options: options)
        }
        #expect(error?.code == "folder" && error?.message.contains("mode 0700") == true)
    }

    @Test("Only the given kinds are captured")
    func kinds() async throws {
        let verdict = try await Self.rejection()
        let capture = try SampledCapture(GatedWriter(), share: 1, kinds: [.appAttestAssertion])
        #expect(!Self.isTaken(verdict, by: capture))
        #expect(
            Self.isTaken(verdict, by: try SampledCapture(GatedWriter(), share: 1, kinds: [.appAttestAttestation])))
    }

    @Test("While the disk hangs, offers return; what does not fit is dropped, and the rest is written later")
    func overflow() async throws {
        let verdict = try await Self.rejection()
        let writer = GatedWriter(isOpen: false)
        let capture = try SampledCapture(writer, share: 1, unproven: .max)
        for number in 0..<SampledCapture.maximumRecords + 10 {
            capture.offer(verdict) { Fixtures.record("\(number)") }
        }
        #expect(capture.count(.dropped) == 10 && capture.count(.written) == 0)
        writer.open()
        await capture.close()
        #expect(capture.count(.written) == SampledCapture.maximumRecords && capture.count(.dropped) == 10)
        #expect(writer.written == (0..<SampledCapture.maximumRecords).map { "\($0)" })
        // After the end.
        capture.offer(verdict) { Fixtures.record("late") }
        #expect(capture.count(.dropped) == 11)
        await capture.close()
    }

    @Test("Few large records fill the queue as well")
    func bytes() async throws {
        let verdict = try await Self.rejection()
        let writer = GatedWriter(isOpen: false)
        let capture = try SampledCapture(writer, share: 1)
        let payload = String(repeating: "x", count: SampledCapture.maximumBytes / 3)
        for number in 0..<4 { capture.offer(verdict) { Fixtures.record("\(number)", payload: payload) } }
        #expect(capture.count(.dropped) == 2)
        writer.open()
        await capture.close()
        #expect(writer.written == ["0", "1"])
    }

    @Test("Closing waits no longer than allowed for a disk that hangs, and counts what is lost")
    func hangingEnd() async throws {
        let verdict = try await Self.rejection()
        let writer = GatedWriter(isOpen: false)
        let capture = try SampledCapture(writer, share: 1)
        for number in 0..<3 { capture.offer(verdict) { Fixtures.record("\(number)") } }
        await capture.close(within: .milliseconds(20))
        #expect(capture.count(.dropped) == 3 && capture.count(.written) == 0)
        writer.open()
    }

    @Test("A full disk loses records only; it is reported once, and so is its end")
    func fullDisk() async throws {
        let verdict = try await Self.rejection()
        let reports = Mutex<[String]>([])
        let writer = GatedWriter()
        let capture = try SampledCapture(writer, share: 1) { problem in
            reports.withLock { $0.append(problem?.code ?? "written again") }
        }
        func offer(_ number: Int) { for _ in 0..<number { capture.offer(verdict) { Fixtures.record("x") } } }
        writer.fail(with: CaptureError(.file, "no space left"))
        offer(3)
        try await waitUntil("three lost") { capture.count(.failed) == 3 }
        writer.fail(with: nil)
        offer(2)
        try await waitUntil("two written") { capture.count(.written) == 2 }
        // A record that cannot be written anywhere says nothing about the disk.
        writer.fail(with: CaptureError(.record, "too large"))
        offer(1)
        await capture.close()
        #expect(capture.count(.unrecordable) == 1)
        #expect(reports.withLock { $0 } == ["file", "written again"])
    }

    @Test("A folder that vanishes is made again, and one that cannot be made costs records only")
    func folder() async throws {
        let verdict = try await Self.rejection()
        let folder = try TestFolder()
        let path = folder.path("c")
        let capture = try SampledCapture(folder: path, share: 1, options: CaptureOptions())
        #expect(try Captured.files(path) == [], "the proof of the beginning is gone")
        capture.offer(verdict) { Fixtures.record("first") }
        try await waitUntil("the first") { capture.count(.written) == 1 }
        try FileManager.default.removeItem(atPath: path)
        try folder.write("c", "a file")
        capture.offer(verdict) { Fixtures.record("lost") }
        try await waitUntil("the second") { capture.count(.failed) == 1 }
        try FileManager.default.removeItem(atPath: path)
        capture.offer(verdict) { Fixtures.record("third") }
        await capture.close()
        #expect(capture.count(.written) == 2)
        #expect(try Captured.records(path).map(\.id) == ["third"])
    }

    @Test("A folder that cannot be written to is an error at the beginning")
    func unusable() throws {
        let folder = try TestFolder()
        try folder.write("file", "x")
        let error = #expect(throws: CaptureError.self) {
            try SampledCapture(folder: folder.path("file"), share: 1, options: CaptureOptions())
        }
        #expect(["folder", "file"].contains(error?.code) && error?.message.contains(folder.path("file")) == true)
    }

    @Test("Sealed records give the same verdicts again, and show nothing of the evidence")
    func replayed() async throws {
        let folder = try TestFolder()
        let key = try CapturePrivateKey.make()
        var options = CaptureOptions()
        options.fields = .seal(to: key.publicKey)
        let capture = try SampledCapture(folder: folder.path("c"), share: 1, options: options)
        let verifier = try Fixtures.verifier()
        let attestation = try Fixtures.attestation()
        let first = try await verifier.verify(attestation, at: Fixtures.time)
        capture.offer(first) { EvidenceRecord(attestation, receivedAt: Fixtures.time) }
        for _ in 0..<2 {
            let assertion = try Fixtures.assertion(counter: 1)
            let verdict = try await verifier.verify(assertion, at: Fixtures.time)
            capture.offer(verdict) {
                EvidenceRecord(assertion, account: "alice@example.com", receivedAt: Fixtures.time)
            }
        }
        await capture.close()
        let file = try #require(Captured.files(folder.path("c")).first)
        let text = try String(contentsOfFile: folder.path("c/\(file)"), encoding: .utf8)
        for secret in [attestation.keyID, Fixtures.clientData] {
            #expect(!text.contains(Data(secret).base64EncodedString()))
        }
        #expect(!text.contains("alice@") && text.hasSuffix("{\"sealedRecords\":3}\n"))
        let again = try Fixtures.verifier()
        let run = try CorpusRun([folder.path("c")], opening: key)
        #expect(run.records.count == 3 && run.failures.isEmpty)
        var outcomes: [Verdict.Outcome] = []
        for line in run.records {
            let record = try RecordFile.readLine(Array(line.utf8)[...]).get()
            let verdict = try await again.verify(record, at: Fixtures.time)
            #expect(record.expect?.isMet(by: verdict) == true)
            outcomes.append(verdict.outcome)
        }
        #expect(outcomes == [.accept, .accept, .reject])
    }
}

/// A writer whose disk hangs until it is opened, or fails.
private final class GatedWriter: RecordWriter {
    private struct State {
        var written: [String] = []
        var error: CaptureError?
    }

    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)

    init(isOpen: Bool = true) { if isOpen { open() } }

    /// The IDs of the records in their order.
    var written: [String] { state.withLock { $0.written } }

    func open() { gate.signal() }

    func fail(with error: CaptureError?) { state.withLock { $0.error = error } }

    func append(_ record: EvidenceRecord, verdict: Verdict?, at now: Date) throws(CaptureError) {
        gate.wait()
        gate.signal()
        try state.withLock { (state) throws(CaptureError) in
            if let error = state.error { throw error }
            state.written.append(record.id ?? "")
        }
    }

    func tidy(at now: Date) {}

    func close() {}
}
