import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Captured records are read back unchanged, and only by their user.
@Suite("Captures")
struct RecordCaptureTests {
    @Test("Captured records are read back unchanged, from files of mode 0600")
    func readBack() throws {
        let folder = try TestFolder()
        let path = folder.path("new/captures")
        let capture = try RecordCapture(folder: path)
        #expect(try Captured.files(path) == [])
        let records = (0..<3).map { Fixtures.record("record \($0)", payload: "\u{0}\n\"\\ä𝄞\u{2028}") }
        for record in records { try capture.append(record, at: Fixtures.time) }
        try capture.flush()
        #expect(try Captured.records(path).map(\.jsonLine) == records.map(\.jsonLine))
        let files = try Captured.files(path)
        #expect(files == ["captures-20260421T181312Z-\(getpid())-000001.ndjson"])
        #expect(try Captured.mode(path) == 0o700)
        #expect(try Captured.mode("\(path)/\(files[0])") == 0o600)
    }

    @Test(
        "A capture has of addresses what its rule says",
        arguments: [AddressRule.keep, .drop, .hash(key: SecretBytes([1]))])
    func addresses(_ rule: AddressRule) throws {
        let folder = try TestFolder()
        var options = CaptureOptions()
        options.addresses = rule
        let capture = try RecordCapture(folder: folder.path("c"), options: options)
        let input = ApproovTokenInput(token: "a.b.c", binding: [], address: "203.0.113.7")
        try capture.append(EvidenceRecord(input, receivedAt: Fixtures.time), at: Fixtures.time)
        try capture.flush()
        let record = try #require(Captured.records(folder.path("c")).first)
        #expect(record.evidence["token"] != nil)
        switch (rule.form, record.evidence["address"]?.content) {
        case (.keep, .text("203.0.113.7")), (.drop, nil): break
        case (.hash, .text(let text)): #expect(text.hasPrefix("hmac-sha256:") && !text.contains("203"))
        default: Issue.record("found \(record.jsonLine)")
        }
    }

    @Test("The verdict becomes what the record expects, and judging it again meets it")
    func verdicts() async throws {
        let folder = try TestFolder()
        let capture = try RecordCapture(folder: folder.path("c"))
        let verifier = try Fixtures.verifier()
        let attestation = try Fixtures.attestation()
        let verdict = try await verifier.verify(attestation, at: Fixtures.time)
        #expect(verdict.outcome == .accept)
        try capture.append(
            EvidenceRecord(attestation, id: "a", app: "shop", receivedAt: Fixtures.time), verdict: verdict,
            at: Fixtures.time)
        // The second one of counter 1 is a replay.
        for counter in [1, 2, 1] as [UInt32] {
            let input = try Fixtures.assertion(counter: counter)
            let verdict = try await verifier.verify(input, at: Fixtures.time)
            try capture.append(EvidenceRecord(input, receivedAt: Fixtures.time), verdict: verdict, at: Fixtures.time)
        }
        let records = try Captured.records(folder.path("c"))
        #expect(records.map { $0.expect?.outcome } == [.accept, .accept, .accept, .reject])
        #expect(records.last?.expect?.failed == ["app-attest.assertion.counter"])
        let replay = try Fixtures.verifier()
        for record in records {
            let verdict = try await replay.verify(record, at: #require(record.receivedAt))
            #expect(try #require(record.expect).isMet(by: verdict))
        }
    }

    @Test("A record without a time of receipt gets the present one; one with an expectation keeps it without a verdict")
    func completion() throws {
        let folder = try TestFolder()
        let capture = try RecordCapture(folder: folder.path("c"))
        let expect = EvidenceRecord.Expectation(outcome: .reject, failed: ["*"])
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind("k"), app: nil, receivedAt: nil, evidence: RecordObject([]), expect: expect)
        try capture.append(record, at: Fixtures.time)
        let read = try #require(try Captured.records(folder.path("c")).first)
        #expect(read.receivedAt == Fixtures.time)
        #expect(read.expect == expect)
    }

    @Test("Tasks that append at the same time write whole lines, each of them once")
    func tasks() async throws {
        let folder = try TestFolder()
        var options = CaptureOptions()
        options.maximumBytes = 20_000
        let capture = try RecordCapture(folder: folder.path("c"), options: options)
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        let record = Fixtures.record(
                            "\(task)-\(number)", payload: String(repeating: "y", count: number))
                        try capture.append(record, at: Fixtures.time)
                    }
                }
            }
            try await group.waitForAll()
        }
        let names = try Captured.records(folder.path("c")).compactMap(\.id)
        #expect(names.count == 800)
        #expect(Set(names).count == 800)
    }

    @Test("A removed file or folder is created again")
    func removed() throws {
        let folder = try TestFolder()
        let capture = try RecordCapture(folder: folder.path("c"))
        try capture.append(Fixtures.record("1"), at: Fixtures.time)
        let file = try #require(try Captured.files(folder.path("c")).first)
        try FileManager.default.removeItem(atPath: folder.path("c/\(file)"))
        try capture.append(Fixtures.record("2"), at: Fixtures.time)
        #expect(try Captured.records(folder.path("c")).map(\.id) == ["2"])
        try FileManager.default.removeItem(atPath: folder.path("c"))
        try capture.append(Fixtures.record("3"), at: Fixtures.time)
        #expect(try Captured.records(folder.path("c")).map(\.id) == ["3"])
        #expect(try Captured.mode(folder.path("c")) == 0o700)
    }

    @Test("Closed is closed, and closing again does nothing")
    func closing() throws {
        let folder = try TestFolder()
        let capture = try RecordCapture(folder: folder.path("c"))
        try capture.append(Fixtures.record("1"), at: Fixtures.time)
        try capture.close()
        try capture.close()
        let error = #expect(throws: CaptureError.self) { try capture.append(Fixtures.record("2"), at: Fixtures.time) }
        #expect(error?.reason == .closed)
        #expect(try Captured.records(folder.path("c")).map(\.id) == ["1"])
    }

    @Test("A failed capture is an error with a code")
    func errors() throws {
        let folder = try TestFolder()
        try folder.write("file", "")
        let inFile = #expect(throws: CaptureError.self) { try RecordCapture(folder: folder.path("file")) }
        #expect(inFile?.reason == .folder)
        for change in [
            { $0.maximumBytes = 0 }, { $0.maximumAge = 0 }, { $0.maximumFiles = 0 }, { $0.maximumAge = .nan },
        ]
            as [(inout CaptureOptions) -> Void]
        {
            var options = CaptureOptions()
            change(&options)
            let error = #expect(throws: CaptureError.self) {
                try RecordCapture(folder: folder.path("c"), options: options)
            }
            #expect(error?.reason == .option)
        }
        let capture = try RecordCapture(folder: folder.path("c"))
        for record in [
            Fixtures.record(String(repeating: "x", count: InputLimits.recordID + 1)),
            Fixtures.record("x", payload: String(repeating: "x", count: InputLimits.record)),
        ] {
            let error = #expect(throws: CaptureError.self) { try capture.append(record, at: Fixtures.time) }
            #expect(error?.reason == .record)
        }
        let noTime = #expect(throws: CaptureError.self) {
            try capture.append(Fixtures.record("x"), at: Date(timeIntervalSince1970: .nan))
        }
        #expect(noTime?.reason == .option)
        #expect(try Captured.files(folder.path("c")) == [])
    }
}
