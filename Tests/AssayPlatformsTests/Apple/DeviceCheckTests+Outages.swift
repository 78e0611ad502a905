import AppAttest
import Assay
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import CoreMetrics
import Foundation
import MetricsTestKit
import Testing

/// What an outage of Apple, or of the ledger, does.
extension DeviceCheckTests {
    @Test("Apple's outage gives no verdict, or one without bits", .produces("device-check.answer", "apple-unavailable"))
    func outages() async throws {
        try await TestApple.run(deviceCheck: Self.rules()) { test in
            let device = Device("a", test)
            test.script.script([.answer(500, "Server Error")])
            do {
                _ = try await device.attest("1", token: device.token())
                Issue.record("there is a verdict")
            } catch {
                guard case .outage(let outage) = error as? VerificationError else { throw error }
                #expect(outage.code.name == "server-error" && !outage.message.contains("a 1"))
            }
            #expect(try await device.attest("1", token: device.token()).outcome == .accept, "nothing was used up")
        }
        try await TestApple.run(deviceCheck: Self.rules(outage: .annotate)) { test in
            let device = Device("a", test)
            test.script.script([.answer(503, "Service Unavailable")])
            let verdict = try await device.attest("1", token: device.token())
            #expect(verdict.outcome == .accept && verdict.annotated == [CheckID.deviceCheckAnswer], "\(verdict.failed)")
            #expect(Self.code(CheckID.deviceCheckAnswer, verdict) == "apple-unavailable" && verdict.deviceBits == nil)
        }
    }

    @Test(
        "A client cannot choose a device token that passes as an outage of Apple: what its token brings about is rejected, or no verdict",
        arguments: [
            (413, "Payload Too Large", "device-token-refused"), (413, "", "device-token-refused"),
            (400, "something new", "device-token-refused"), (400, "", "device-token-refused"),
            (400, "Bad Device Token", "device-token-refused"), (200, "something new", nil), (404, "", nil),
            (422, "Unprocessable", nil), (431, "", nil), (429, "Too Many Requests", nil),
        ] as [(Int, String, String?)])
    func chosenByClient(_ status: Int, _ text: String, _ code: String?) async throws {
        try await TestApple.run(deviceCheck: Self.rules(outage: .annotate)) { test in
            let device = Device("a", test)
            test.script.script([.answer(status, text)])
            if let code {
                let verdict = try await device.attest("1", token: device.token())
                #expect(
                    verdict.failed == [CheckID.deviceCheckToken] && Self.code(CheckID.deviceCheckToken, verdict) == code
                )
            } else {
                await #expect(throws: VerificationError.self) { try await device.attest("1", token: device.token()) }
            }
            #expect(try await device.attest("2", token: device.token()).outcome == .accept)
        }
    }

    @Test("An outage without which the policy goes on is counted like every other one")
    func counted() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            try await TestApple.run(deviceCheck: Self.rules(outage: .annotate)) { test in
                let device = Device("a", test)
                test.script.script([.answer(503, "Service Unavailable")])
                let verdict = try await device.attest("1", token: device.token())
                #expect(verdict.outcome == .accept)
            }
        }
        let counts = metrics.counters.filter { $0.label == MetricName.outages.rawValue && $0.totalValue > 0 }
        #expect(counts.map { $0.dimensions.map(\.1) } == [["Apple", "server-error"]])
    }

    @Test(
        "A banned device is not accepted because a later question failed, though the policy does without Apple's answers"
    )
    func bannedInAnOutage() async throws {
        try await TestApple.run(deviceCheck: Self.rules(outage: .annotate)) { test in
            let device = Device("a", test)
            _ = try await test.ledger.allow(
                LedgerAllowance(
                    subject: LedgerSubject(.key, device.keyID("1")), checks: [CheckID.deviceCheckBan],
                    reason: "a repair",
                    since: test.time.now, until: nil, setBy: "eve"))
            // Apple reads the bits, and does not clear them.
            test.script.script([
                .answer(200, #"{"bit0":true,"bit1":false,"last_update_time":"2026-01"}"#), .answer(500, "Server Error"),
            ])
            await #expect(throws: VerificationError.self) {
                try await device.attest("1", token: device.token())
            }
        }
    }

    @Test("An outage of the ledger gives no verdict, even if the policy accepts evidence without Apple's answer")
    func ledgerOutage() async throws {
        // The second question is about allowances for the ban.
        let ledger = FaultyLedger(MemoryLedger()) { operation, number in
            operation == .standings && number == 2 ? .outage() : nil
        }
        try await TestApple.run(
            deviceCheck: Self.rules(outage: .annotate), modes: [CheckID.deviceCheckBan: .annotate], ledger: ledger
        ) { test in
            let device = Device("a", test)
            device.setBits(true, false, month: "2026-01")
            do {
                _ = try await device.attest("1", token: device.token())
                Issue.record("there is a verdict")
            } catch {
                guard case .outage(let outage) = error as? VerificationError else { throw error }
                #expect(outage is LedgerOutage)
            }
            #expect(try await device.attest("1", token: device.token()).annotated.contains(CheckID.deviceCheckBan))
        }
    }

    @Test(
        "While the ledger cannot say whether a key is new, there is no verdict, and Apple counts no key",
        arguments: [false, true])
    func unknownWhetherNew(_ isCounted: Bool) async throws {
        let ledger = FaultyLedger(MemoryLedger())
        let rules = Self.rules(.enrolments(limit: 1), outage: .annotate)
        // By another verifier: one that has counted an evidence need not look.
        try await TestApple.run(deviceCheck: rules, ledger: ledger) { test in
            let device = Device("a", test)
            let verdict = try await device.attest("1", token: device.token(), account: "alice")
            #expect(verdict.outcome == .accept)
        }
        try await TestApple.run(deviceCheck: rules, ledger: ledger) { test in
            let device = Device("a", test)
            device.setBits(isCounted, false, month: "2026-01")
            let asked = test.script.requests.count
            ledger.follow { operation, _ in operation == .enrolledKey ? .outage() : nil }
            do {
                _ = try await device.attest("1", token: device.token(), account: "alice")
                Issue.record("there is a verdict")
            } catch {
                guard case .outage(let outage) = error as? VerificationError else { throw error }
                #expect(outage is LedgerOutage)
            }
            #expect(
                test.script.requests.dropFirst(asked).map { $0.path.split(separator: "/").last } == ["query_two_bits"])
            var record = try test.mint(AttestedKey(seed: "a", label: "1")).record(id: "1")
            record.deviceBits = DeviceBits(first: isCounted, second: false, changedIn: "2026-01")
            let replay = Verifier(policy: test.verifier.policy, ledger: ledger, engines: .standard, use: .analysis)
            let error = await #expect(throws: VerificationError.self) {
                try await replay.assess(record, ledger: ledger, at: test.time.now)
            }
            guard case .outage(let outage) = error else { throw try #require(error) }
            #expect(outage is LedgerOutage)
            ledger.recover()
            _ = try await replay.assess(record, ledger: ledger, at: test.time.now)
            let verdict = try await device.attest("1", token: device.token(), account: "alice")
            #expect(verdict.outcome == .accept, "\(verdict.failed)")
            #expect(device.bits.map { ($0.first, $0.second) == (isCounted, false) } == true)
        }
    }

    @Test("A policy that counts no enrolments does not ask the ledger whether a key is new")
    func ledgerNotAsked() async throws {
        let ledger = FaultyLedger { operation, _ in operation == .enrolledKey ? .outage() : nil }
        try await TestApple.run(deviceCheck: Self.rules(), ledger: ledger) { test in
            let device = Device("a", test)
            let verdict = try await device.attest("1", token: device.token(), account: "alice")
            #expect(verdict.outcome == .accept, "\(verdict.failed)")
        }
    }
}
