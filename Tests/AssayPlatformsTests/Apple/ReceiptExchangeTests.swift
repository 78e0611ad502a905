import AppAttest
import Assay
import AssayCore
import AssayHTTPTestSupport
import AssayLedgerSQLite
import AssayPlatforms
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Receipts that are kept and exchanged")
struct ReceiptTests {
    private static func code(_ verdict: Verdict) -> String? {
        verdict.checks.first { $0.check == CheckID.appAttestAssertionRiskMetric }?.finding?.code
    }

    @Test(
        "The receipt of an accepted attestation is exchanged, and its metric is in later verdicts with its age",
        .produces("app-attest.assertion.risk-metric", "key-risk-unknown", "key-risk-too-high", "key-risk-too-old"))
    func metric() async throws {
        try await TestApple.run { test in
            let key = AttestedKey(seed: "receipts", label: "metric")
            #expect(try await test.attest(key).verdict.outcome == .accept)
            let due = try #require(try await test.ledger.task(key.keyID, in: KeptReceipt.queue)).dueAt
            #expect(due > test.time.now)
            #expect(try await test.apple.refreshDue(test.verifier).count == 0, "it is not due yet")
            var verdict = try await test.assert(key, counter: 1)
            #expect(verdict.outcome == .accept && Self.code(verdict) == "key-risk-unknown")
            #expect(verdict.appAttest?.riskMetric == nil)

            test.time.pass(TestApple.hour * 2)
            test.standIn.setMetric(3)
            #expect(try await test.apple.refreshDue(test.verifier).count == 1)
            let measured = test.time.now
            #expect(try await test.kept(key)?.outcome == .refreshed)
            #expect(try await test.kept(key)?.riskMetric == 3)
            verdict = try await test.assert(key, counter: 2)
            #expect(verdict.outcome == .accept && Self.code(verdict) == nil)
            #expect(verdict.appAttest?.riskMetric?.value == 3)
            #expect(verdict.appAttest?.riskMetric.map { abs($0.measuredAt.timeIntervalSince(measured)) < 1 } == true)

            // Field 19 forbids the next exchange for a day; the plan waits longer.
            test.standIn.setMetric(25)
            test.time.pass(TestApple.day)
            #expect(try await test.apple.refreshDue(test.verifier).count == 0)
            test.time.pass(TestApple.day * 4)
            #expect(try await test.apple.refreshDue(test.verifier).count == 1)
            verdict = try await test.assert(key, counter: 3)
            #expect(verdict.outcome == .accept && Self.code(verdict) == "key-risk-too-high")
            #expect(verdict.annotated.map(\.name) == ["app-attest.assertion.risk-metric"])

            // Apple has no data after 30 days: the last metric stays, with its age.
            test.standIn.setMetric(2)
            for _ in 0..<5 {
                test.time.pass(TestApple.day * 5)
                _ = try await test.apple.refreshDue(test.verifier)
            }
            #expect(try await test.kept(key)?.riskMetric == 2)
            test.time.pass(TestApple.day * 31)
            _ = try await test.apple.refreshDue(test.verifier)
            #expect(try await test.kept(key)?.outcome == .noData)
            verdict = try await test.assert(key, counter: 4)
            #expect(verdict.outcome == .accept && Self.code(verdict) == "key-risk-too-old")
            #expect(verdict.appAttest?.riskMetric?.value == 2)
        }
    }

    @Test("No receipt is kept for a rejected attestation, or without receipt.keep")
    func notKept() async throws {
        try await TestApple.run { test in
            let key = AttestedKey(seed: "receipts", label: "rejected")
            let minted = try test.mint(key)
            let record = EvidenceRecord(
                id: "other", kind: .appAttestAttestation, app: nil, receivedAt: test.time.now,
                evidence: RecordObject([
                    ("keyId", .base64(minted.keyID)), ("attestation", .base64(minted.attestation)),
                    ("challenge", .base64([1])),
                ]), expect: nil)
            #expect(try await test.verifier.verify(record, at: test.time.now).outcome == .reject)
            #expect(try await test.kept(key) == nil)
        }
        try await TestApple.run(keep: nil) { test in
            let key = AttestedKey(seed: "receipts", label: "not kept")
            let verdict = try await test.attest(key).verdict
            #expect(verdict.outcome == .accept)
            #expect(try await test.kept(key) == nil)
        }
    }

    @Test("A sealed receipt opens under its master key and for its key alone")
    func sealed() async throws {
        try await TestApple.run(keep: .sealed) { test in
            let (key, other) = (
                AttestedKey(seed: "receipts", label: "sealed"), AttestedKey(seed: "receipts", label: "two")
            )
            let receipt = try #require(try await test.attest(key).minted.receipt)
            try await test.attest(other)
            let task = try #require(try await test.ledger.task(key.keyID, in: KeptReceipt.queue))
            let second = try #require(try await test.ledger.task(other.keyID, in: KeptReceipt.queue))
            #expect(try await test.kept(key)?.isSealed == true)
            let text = String(decoding: task.bytes, as: UTF8.self)
            #expect(!text.contains(Base64.encode(receipt, .standard).prefix(64)))
            // The receipt of one key in the task of another one.
            let isStored = try await test.ledger.putTask(
                other.keyID, in: KeptReceipt.queue, dueAt: test.time.now, bytes: task.bytes, replacing: second.revision,
                at: test.time.now)
            #expect(isStored)
            test.time.pass(TestApple.hour * 2)
            let stranger = try test.another(
                "stranger", masterKey: try MasterKey(text: SecretBytes(String(repeating: "a5", count: 32).utf8)))
            #expect(try await stranger.refreshDue(test.verifier).count == 2)
            await stranger.shutdown()
            #expect(test.script.requests.isEmpty)
            #expect(try await test.kept(key)?.outcome == nil, "the stored receipt stays as it was")
            test.time.pass(TestApple.day)
            #expect(try await test.apple.refreshDue(test.verifier).count == 2)
            #expect(test.script.requests.count == 1)
            #expect(try await test.kept(key)?.outcome == .refreshed)
            #expect(try await test.kept(key)?.isSealed == true)
            #expect(test.log.text.contains("sealed under another master key"))
        }
    }

    @Test("A sealed receipt is sealed again when the master key changes, unless another process exchanges it")
    func resealed() async throws {
        try await TestApple.run(keep: .sealed) { test in
            let key = AttestedKey(seed: "receipts", label: "resealed")
            let busy = AttestedKey(seed: "receipts", label: "busy")
            try await test.attest(key)
            try await test.attest(busy)
            let before = try #require(try await test.ledger.task(key.keyID, in: KeptReceipt.queue))
            func masterKey(_ bytes: String...) throws -> MasterKey {
                let lines = bytes.map { String(repeating: $0, count: 32) }
                return try MasterKey(text: SecretBytes(lines.joined(separator: "\n").utf8))
            }
            func reseal(_ masterKey: MasterKey) async throws -> [Int] {
                let change = try await ReceiptResealing(in: test.ledger, under: masterKey, at: test.time.now)
                return [change.resealed, change.busy, change.unusable]
            }
            #expect(try await reseal(masterKey("5a")) == [0, 0, 0])
            #expect(try await reseal(masterKey("a5")) == [0, 0, 2])
            let lease = try await test.ledger.leaseTask(
                busy.keyID, in: KeptReceipt.queue, to: "another", until: test.time.now + 60, at: test.time.now)
            #expect(lease != nil)
            let both = try masterKey("a5", "5a")
            #expect(try await reseal(both) == [1, 1, 0])
            let after = try #require(try await test.ledger.task(key.keyID, in: KeptReceipt.queue))
            #expect(after.dueAt == before.dueAt && after.bytes != before.bytes)
            test.time.pass(TestApple.hour)
            #expect(try await reseal(both) == [1, 0, 0])
            #expect(try await reseal(both) == [0, 0, 0])
            test.time.pass(TestApple.hour * 2)
            let next = try test.another("next", masterKey: masterKey("a5"))
            #expect(try await next.refreshDue(test.verifier).count == 2)
            await next.shutdown()
            for key in [key, busy] { #expect(try await test.kept(key)?.outcome == .refreshed) }
            // What the present key does not open goes when it has expired.
            test.time.pass(TestApple.day * 200)
            #expect(try await test.apple.refreshDue(test.verifier).count == 2)
            for key in [key, busy] { #expect(try await test.kept(key) == nil) }
        }
    }

    /// What the server does, and what is noted.
    static let faults: [(String, [ScriptedServer.Step], ReceiptOutcome)] = [
        ("too early", [.answer(304, "")], .notYet),
        ("no data", [.answer(404, "No Data Found")], .noData),
        ("refused", [.answer(400, "Incorrect Environment")], .refused),
        ("refused twice", [.answer(401, ""), .answer(401, "")], .outage),
        ("limit", [.answer(429, "")], .outage),
        ("fails", [.answer(500, "Internal Error")], .outage),
        ("closed", [.answer(503, "", fields: ["Retry-After": "120"])], .outage),
        ("HTML", [.answer(200, "<html><body>Welcome to the hotel</body></html>")], .outage),
        ("an error with 200", [.answer(200, "No Data Found")], .outage),
        ("JSON", [.answer(200, #"{"receipt":"MIAGCSqGSIb3DQEHAqCA"}"#)], .outage),
        ("nothing", [.answer(200, "")], .outage),
        ("base64 of something", [.answer(200, Base64.encode([1, 2, 3], .standard))], .unusable),
        ("50 MB", [.announced(50_000_000)], .outage),
        ("50 MB in chunks", [.chunked(50_000_000)], .outage),
        ("a redirect", [.answer(302, "", fields: ["Location": "https://example.com/"])], .outage),
        ("cut", [.cut], .outage),
        ("closed at once", [.close], .outage),
    ]

    @Test("After any server fault the receipt is kept, and a later exchange succeeds", arguments: faults.indices)
    func fault(_ index: Int) async throws {
        let (name, steps, outcome) = Self.faults[index]
        try await TestApple.run { test in
            let key = AttestedKey(seed: "receipts", label: "fault")
            try await test.attest(key)
            let before = try #require(try await test.ledger.task(key.keyID, in: KeptReceipt.queue))
            test.time.pass(TestApple.hour * 2)
            test.script.script(steps)
            let round = try await test.apple.refreshDue(test.verifier)
            #expect(round.count == 1, "\(name)")
            #expect((round.pausedUntil != nil) == (outcome == .outage), "\(name)")
            let after = try #require(try await test.ledger.task(key.keyID, in: KeptReceipt.queue))
            #expect(try KeptReceipt(task: after).outcome == outcome, "\(name)")
            #expect(
                try KeptReceipt(task: after).times().createdAt == KeptReceipt(task: before).times().createdAt, "\(name)"
            )
            #expect(after.dueAt > test.time.now && after.holder == nil, "\(name)")
            #expect(after.dueAt <= test.time.now.addingTimeInterval(86_400), "\(name): the backoff is capped at a day")
            #expect(try await test.ledger.enrolledKey(.appAttest(key.keyID))?.properties["riskMetric"] == nil)
            test.time.pass(TestApple.day)
            #expect(try await test.apple.refreshDue(test.verifier).count == 1, "\(name)")
            #expect(try await test.kept(key)?.outcome == .refreshed, "\(name)")
        }
    }

    @Test("A new receipt of another key, app, environment, authority or time is not taken")
    func unusable() async throws {
        try await TestApple.run { test in
            let key = AttestedKey(seed: "receipts", label: "unusable")
            let minted = try await test.attest(key).minted
            let other = try test.mint(AttestedKey(seed: "receipts", label: "other"))
            let stranger = try TestAuthority(
                seed: "stranger", notBefore: test.time.now.addingTimeInterval(-86_400))
            test.time.pass(TestApple.hour * 2)
            let certificate = try #require(minted.certificates.first)
            let otherCertificate = try #require(other.certificates.first)
            func receipt(
                _ authority: TestAuthority, _ certificate: [UInt8], appID: String = TestApple.appID,
                environment: AttestEnvironment = .production, age: Double = 0, isAttest: Bool = false
            ) throws -> [UInt8] {
                let (hash, time) = (minted.clientData.hash, test.time.now.addingTimeInterval(-age))
                let blueprint =
                    isAttest
                    ? ReceiptBlueprint(
                        authority: authority, appID: appID, certificate: certificate, clientDataHash: hash,
                        environment: environment, createdAt: time)
                    : ReceiptBlueprint(
                        authority: authority, appID: appID, certificate: certificate, clientDataHash: hash,
                        environment: environment, createdAt: time, riskMetric: 1)
                return try blueprint.mint()
            }
            let answers = [
                try receipt(test.authority, otherCertificate), try receipt(stranger, certificate),
                try receipt(test.authority, certificate, appID: "\(TestApple.team).com.example.other"),
                try receipt(test.authority, certificate, environment: .development),
                try receipt(test.authority, certificate, age: 301), try receipt(test.authority, certificate, age: -121),
                try receipt(test.authority, certificate, isAttest: true),
            ]
            for (index, answer) in answers.enumerated() {
                test.script.script([.answer(200, Base64.encode(answer, .standard))])
                let result = try await test.apple.refresh(keyID: key.keyID, test.verifier)
                #expect(result?.outcome == .unusable, "answer \(index)")
                #expect(
                    try await test.ledger.enrolledKey(.appAttest(key.keyID))?.properties["riskMetric"] == nil,
                    "answer \(index)")
            }
            let genuine = try await test.apple.refresh(keyID: key.keyID, test.verifier)
            #expect(genuine?.outcome == .refreshed)
        }
    }

    @Test("Two servers exchange each receipt once; one that dies gives its receipts back")
    func servers() async throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let ledger = try SQLiteLedger.open(
            path: folder.url.appendingPathComponent("ledger.sqlite").path, purging: .never)
        try await TestApple.run(ledger: ledger) { test in
            let keys = (0..<24).map { AttestedKey(seed: "receipts", label: "server \($0)") }
            for key in keys { try await test.attest(key) }
            test.time.pass(TestApple.hour * 2)
            // A process that leases four receipts and dies.
            let lost = try await ledger.leaseTasks(
                in: KeptReceipt.queue, to: "dead", until: test.time.now + 300, atMost: 4, at: test.time.now)
            #expect(lost.count == 4)
            let second = try test.another("second")
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for service in [test.apple, second, test.apple, second] {
                    group.addTask { try await service.refreshDue(test.verifier).count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts.reduce(0, +) == 20)
            #expect(test.script.requests.count == 20)
            test.time.pass(.seconds(299))
            #expect(try await second.refreshDue(test.verifier).count == 0)
            test.time.pass(.seconds(1))
            #expect(try await second.refreshDue(test.verifier).count == 4)
            #expect(Set(test.script.requests.map(\.text)).count == 24, "each receipt was sent once")
            #expect(test.script.requests.count == 24)
            for key in keys { #expect(try await test.kept(key)?.outcome == .refreshed) }
            await second.shutdown()
        }
        try await ledger.close()
    }

    @Test("A receipt that is refreshed by hand in several places at once is sent once")
    func byHand() async throws {
        try await TestApple.run { test in
            let key = AttestedKey(seed: "receipts", label: "by hand")
            try await test.attest(key)
            // Before it is due. A new receipt must be younger than the old one.
            test.time.pass(.seconds(60))
            let second = try test.another("second")
            var outcomes = try await withThrowingTaskGroup(of: ReceiptOutcome?.self) { group in
                for service in [test.apple, second, test.apple, second] {
                    group.addTask { try await service.refresh(keyID: key.keyID, test.verifier)?.outcome }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            // One that begins when another has ended sends the new receipt, which stays: Apple does not exchange it yet.
            if let later = try await second.refresh(keyID: key.keyID, test.verifier) { outcomes.append(later.outcome) }
            let sent = test.script.requests.map(\.text)
            #expect(outcomes.count == sent.count, "\(outcomes)")
            #expect(outcomes.count { $0 == .refreshed } == 1, "\(outcomes)")
            #expect(outcomes.count { $0 == .notYet } == outcomes.count - 1 && outcomes.last == .notYet, "\(outcomes)")
            #expect(sent.count { $0 == sent.first } == 1, "the receipt was sent twice")
            // A process that dies with the lease gives the receipt back.
            test.time.pass(TestApple.day * 2)
            let dead = try await test.ledger.leaseTask(
                key.keyID, in: KeptReceipt.queue, to: "dead", until: test.time.now + 300, at: test.time.now)
            #expect(dead != nil)
            #expect(try await second.refresh(keyID: key.keyID, test.verifier) == nil)
            test.time.pass(.seconds(300))
            #expect(try await second.refresh(keyID: key.keyID, test.verifier)?.outcome == .refreshed)
            await second.shutdown()
        }
    }

    @Test(
        "A receipt of a key that is not enrolled, and one that has expired, are no longer kept; a blocked key gets no metric"
    )
    func dropped() async throws {
        try await TestApple.run { test in
            let key = AttestedKey(seed: "receipts", label: "blocked")
            try await test.attest(key)
            let bytes = try #require(try await test.ledger.task(key.keyID, in: KeptReceipt.queue)).bytes
            let unknown = [UInt8](repeating: 9, count: 32)
            #expect(
                try await test.ledger.putTask(
                    unknown, in: KeptReceipt.queue, dueAt: test.time.now, bytes: bytes, replacing: 0, at: test.time.now)
            )
            try await test.ledger.block(
                LedgerBlock(
                    subject: KeyIdentifier.appAttest(key.keyID).subject, reason: "test", since: test.time.now,
                    until: nil))
            test.time.pass(TestApple.hour * 2)
            #expect(try await test.apple.refreshDue(test.verifier).count == 2)
            #expect(try await test.ledger.task(unknown, in: KeptReceipt.queue) == nil)
            #expect(
                try await test.ledger.putTask(
                    unknown, in: KeptReceipt.queue, dueAt: test.time.now, bytes: bytes, replacing: 0, at: test.time.now)
            )
            #expect(try await test.apple.refresh(keyID: unknown, test.verifier)?.outcome == .notEnrolled)
            #expect(try await test.ledger.enrolledKey(.appAttest(key.keyID))?.properties["riskMetric"] == nil)
            test.time.pass(TestApple.day * 100)
            #expect(try await test.apple.refreshDue(test.verifier).count == 1)
            #expect(try await test.kept(key) == nil)
        }
    }

    @Test("Receipts of development builds go to the server of development builds")
    func development() async throws {
        try await TestApple.run(environment: .development) { test in
            let key = AttestedKey(seed: "receipts", label: "development")
            try await test.attest(key, environment: .development)
            test.time.pass(TestApple.hour * 2)
            #expect(try await test.apple.refreshDue(test.verifier).count == 1)
            #expect(test.script.requests.map(\.path) == ["/development/v1/attestationData"])
            #expect(try await test.kept(key)?.outcome == .refreshed)
        }
    }

    @Test("The requests of a million keys are even over the day, though all were attested in one hour")
    func even() {
        // A generator with a fixed seed.
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
        let plan = ReceiptPlan(interval: 3 * 86_400)
        let start = Date(timeIntervalSince1970: 1_776_794_400)
        var hours = [Int](repeating: 0, count: 24 * 60)
        var strays = 0
        for key in 0..<1_000_000 {
            var due = plan.first(after: start + Double(key % 3600), random: random())
            while due < start + 60 * 86_400 {
                hours[Int(due.timeIntervalSince(start) / 3600)] += 1
                let receipt = RefreshableReceipt(
                    bytes: [], environment: .production, createdAt: due, riskMetric: 1, notBefore: due + 86_400,
                    expiresAt: due + 90 * 86_400)
                let next = plan.next(after: receipt, at: due, random: random())
                if next < due + 86_400 || next > due + 7 * 86_400 { strays += 1 }
                due = next
            }
        }
        let late = hours.suffix(24 * 30)
        let mean = Double(late.reduce(0, +)) / Double(late.count)
        #expect(strays == 0 && mean > 10_000)
        #expect(Double(late.max() ?? 0) < 1.1 * mean && Double(late.min() ?? 0) > 0.9 * mean)
    }
}
