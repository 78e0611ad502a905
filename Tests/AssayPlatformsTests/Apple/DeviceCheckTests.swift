import AppAttest
import Assay
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Device tokens of DeviceCheck that accompany evidence")
struct DeviceCheckTests {
    /// A device with its keys, which makes a new device token for each record.
    final class Device {
        let test: TestApple
        let name: String
        private var count = 0
        private var first: [UInt8]?

        init(_ name: String, _ test: TestApple) {
            self.name = name
            self.test = test
        }

        /// A device token that Apple knows.
        func token(isForged: Bool = false) -> [UInt8] {
            count += 1
            let token = Array("\(name) \(count)".utf8)
            test.standIn.addDevice(token: token, of: first, isForged: isForged)
            if first == nil { first = token }
            return token
        }

        var bits: (first: Bool, second: Bool, month: String?)? { first.flatMap { test.standIn.bits(ofDevice: $0) } }

        func setBits(_ first: Bool, _ second: Bool, month: String) {
            test.standIn.setBits(ofDevice: self.first ?? token(), first: first, second: second, month: month)
        }

        /// Judges the attestation of a key with a device token; without a token, none accompanies it.
        func attest(_ key: String, token: [UInt8]?, account: String? = nil) async throws -> Verdict {
            var record = try test.mint(AttestedKey(seed: name, label: key)).record(id: key)
            record.deviceToken = token.map { Base64.encode($0, .standard) }
            record.account = account
            return try await test.verifier.verify(record, at: test.time.now)
        }

        func keyID(_ key: String) -> String { Base64.encode(AttestedKey(seed: name, label: key).keyID, .standard) }
    }

    static func rules(
        _ meaning: DeviceCheckConfiguration.Meaning = .ban(.bit0), months: Int? = nil,
        blocks: DeviceCheckConfiguration.BlockRule = .none, outage: DeviceCheckConfiguration.OutageRule = .outage
    ) -> DeviceCheckConfiguration {
        DeviceCheckConfiguration(appID: TestApple.appID, meaning: meaning) {
            $0.months = months
            $0.required = [.appAttestAttestation]
            $0.blocks = blocks
            $0.outage = outage
        }
    }

    static func code(_ check: CheckID, _ verdict: Verdict) -> String? {
        verdict.checks.first { $0.check == check }?.finding?.code
    }

    @Test(
        "A device token is demanded, proven by Apple, and taken once; a bit bans the device whatever key it has",
        .produces("device-check.token", "device-token-missing", "device-token-refused", "device-token-repeated"),
        .produces("device-check.ban", "device-banned"), .produces("device-check.replay", "digest-used"))
    func ban() async throws {
        try await TestApple.run(deviceCheck: Self.rules()) { test in
            let device = Device("a", test)
            let missing = try await device.attest("1", token: nil)
            #expect(
                missing.failed == [CheckID.deviceCheckToken]
                    && Self.code(CheckID.deviceCheckToken, missing) == "device-token-missing")
            #expect(missing.remedy == .retry)

            let token = device.token()
            let accepted = try await device.attest("1", token: token)
            #expect(accepted.outcome == .accept, "\(accepted.failed)")
            #expect(accepted.deviceBits == DeviceBits(first: false, second: false, changedIn: nil))
            #expect(accepted.checks.suffix(1).first?.check == CheckID.deviceCheckReplay)
            let replayed = try await device.attest("2", token: token)
            #expect(
                replayed.failed == [CheckID.deviceCheckReplay]
                    && Self.code(CheckID.deviceCheckReplay, replayed) == "digest-used")

            let forged = try await device.attest("3", token: device.token(isForged: true))
            #expect(
                forged.failed == [CheckID.deviceCheckToken]
                    && Self.code(CheckID.deviceCheckToken, forged) == "device-token-refused")
            let unknown = try await device.attest("3", token: Array("Apple has not made it".utf8))
            #expect(unknown.failed == [CheckID.deviceCheckToken])

            device.setBits(true, false, month: "2020-01")
            let banned = try await device.attest("4", token: device.token())
            #expect(
                banned.failed == [CheckID.deviceCheckBan]
                    && Self.code(CheckID.deviceCheckBan, banned) == "device-banned")
            #expect(banned.deviceBits == DeviceBits(first: true, second: false, changedIn: "2020-01"))
            #expect(banned.remedy == .contactSupport)
            #expect(try await test.ledger.enrolledKey(.appAttest(AttestedKey(seed: "a", label: "4").keyID)) == nil)
            // The other bit is that of another purpose.
            device.setBits(false, true, month: "2020-01")
            #expect(try await device.attest("4", token: device.token()).outcome == .accept)
            #expect(device.bits?.first == false && device.bits?.second == true, "a verdict changes no bit")
        }
    }

    @Test("Apple is not asked about evidence that another check rejects, nor about kinds and apps without a token")
    func notAsked() async throws {
        try await TestApple.run(deviceCheck: Self.rules()) { test in
            let device = Device("a", test)
            let minted = try test.mint(AttestedKey(seed: "a", label: "1"))
            var record = minted.record(id: "1")
            record.deviceToken = Base64.encode(device.token(), .standard)
            let late = try await test.verifier.verify(record, at: test.time.now.addingTimeInterval(400 * 86_400))
            #expect(late.outcome == .reject && !late.failed.contains(CheckID.deviceCheckToken))
            #expect(
                late.checks.filter { $0.check.name.hasPrefix("device-check.") }.allSatisfy { $0.status == .skipped })
            #expect(test.script.requests.isEmpty)
            // What a record says of Apple's answer proves nothing while a request waits.
            record.deviceToken = nil
            record.deviceBits = DeviceBits(first: false, second: false, changedIn: nil)
            #expect(try await test.verifier.verify(record, at: test.time.now).failed == [CheckID.deviceCheckToken])
            // Calls without a record have no device token.
            let direct = try await test.verifier.verify(
                AttestationInput(
                    keyID: minted.keyID, attestation: minted.attestation, clientData: .data(Array("challenge".utf8))),
                at: test.time.now)
            #expect(direct.failed == [CheckID.deviceCheckToken])
            #expect(try await device.attest("1", token: device.token()).outcome == .accept)
            // Assertions need none here.
            let asked = test.script.requests.count
            #expect(try await test.assert(AttestedKey(seed: "a", label: "1"), counter: 1).outcome == .accept)
            #expect(test.script.requests.count == asked)
        }
    }

    @Test(
        "Both bits count the keys that a device enrols, until the limit; the months end a count, and an operator lifts it",
        .produces("device-check.ban", "too-many-enrolments")
    )
    func enrolments() async throws {
        try await TestApple.run(deviceCheck: Self.rules(.enrolments(limit: 2), months: 12)) { test in
            let device = Device("a", test)
            for (key, bits) in [("1", (true, false)), ("2", (false, true))] {
                #expect(try await device.attest(key, token: device.token()).outcome == .accept)
                #expect(device.bits.map { ($0.first, $0.second) == bits } == true, "\(key)")
            }
            let beyond = try await device.attest("3", token: device.token())
            #expect(
                beyond.failed == [CheckID.deviceCheckBan]
                    && Self.code(CheckID.deviceCheckBan, beyond) == "too-many-enrolments")
            // The same key again is no further one.
            let again = try await device.attest("1", token: device.token())
            #expect(again.outcome == .accept, "\(again.failed)")
            #expect(device.bits.map { ($0.first, $0.second) == (false, true) } == true)
            // Forged tokens count nothing.
            #expect(
                try await Device("b", test).attest("1", token: device.token(isForged: true)).failed == [
                    CheckID.deviceCheckBan
                ])

            let allowance = LedgerAllowance(
                subject: LedgerSubject(.key, device.keyID("3")), checks: [CheckID.deviceCheckBan], reason: "a repair",
                since: test.time.now, until: nil, setBy: "eve")
            _ = try await test.ledger.allow(allowance)
            let lifted = try await device.attest("3", token: device.token())
            #expect(lifted.outcome == .accept && lifted.annotated.contains(CheckID.deviceCheckBan), "\(lifted.failed)")
            #expect(device.bits.map { ($0.first, $0.second) == (true, false) } == true, "it counts anew")

            device.setBits(true, true, month: "2020-01")
            #expect(try await device.attest("4", token: device.token()).outcome == .accept, "long ago")
            #expect(device.bits.map { ($0.first, $0.second) == (true, false) } == true)
        }
    }

    @Test(
        "The device of a blocked account is banned at its next visit, for other keys and accounts too, until it is lifted"
    )
    func blocks() async throws {
        try await TestApple.run(deviceCheck: Self.rules(.ban(.bit1), blocks: .ban)) { test in
            let device = Device("a", test)
            #expect(try await device.attest("1", token: device.token(), account: "mallory").outcome == .accept)
            try await test.ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.account, "mallory"), reason: "fraud", since: test.time.now, until: nil,
                    setBy: "eve"))
            #expect(device.bits?.second == false)
            let visit = try await device.attest("2", token: device.token(), account: "mallory")
            #expect(visit.outcome == .reject && visit.failed.contains(CheckID.deviceCheckBan), "\(visit.failed)")
            #expect(device.bits?.second == true && device.bits?.first == false)
            #expect(
                try await device.attest("3", token: device.token(), account: "alice").failed == [CheckID.deviceCheckBan]
            )

            _ = try await test.ledger.allow(
                LedgerAllowance(
                    subject: LedgerSubject(.account, "alice"), checks: [CheckID.deviceCheckBan],
                    reason: "bought second-hand",
                    since: test.time.now, until: nil, setBy: "eve"))
            let lifted = try await device.attest("3", token: device.token(), account: "alice")
            #expect(lifted.outcome == .accept && lifted.annotated.contains(CheckID.deviceCheckBan), "\(lifted.failed)")
            #expect(device.bits?.second == false)
            #expect(try await device.attest("4", token: device.token(), account: "bob").outcome == .accept)
        }
    }

    @Test(
        "Visits with one blocked key ask Apple three times, set the bit once, and hinder no other device")
    func blockedAgain() async throws {
        try await TestApple.run(deviceCheck: Self.rules(blocks: .ban)) { test in
            let (device, other) = (Device("a", test), Device("b", test))
            try await test.ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.account, "mallory"), reason: "fraud", since: test.time.now, until: nil,
                    setBy: "eve"))
            for number in 1...20 {
                let visit = try await device.attest("1", token: device.token(), account: "mallory")
                #expect(visit.outcome == .reject)
                #expect(
                    Self.code(CheckID.deviceCheckToken, visit) == (number > 3 ? "device-token-repeated" : nil),
                    "\(number)")
                #expect(Self.code(CheckID.deviceCheckBan, visit) == (number > 3 ? nil : "device-banned"), "\(number)")
                guard number == 10 else { continue }
                let accepted = try await other.attest("1", token: other.token(), account: "alice")
                #expect(accepted.outcome == .accept, "\(accepted.failed)")
            }
            let asked = test.script.requests.compactMap { $0.path.split(separator: "/").last }
            #expect(
                asked == [
                    "query_two_bits", "update_two_bits", "query_two_bits", "query_two_bits",
                    "query_two_bits", "validate_device_token",
                ])
        }
    }

    @Test("An enrolment counts once, though the ledger had an outage after Apple counted it, and the app sent it again")
    func countedOnce() async throws {
        let ledger = FaultyLedger { operation, number in operation == .commit && number == 1 ? .outage() : nil }
        try await TestApple.run(deviceCheck: Self.rules(.enrolments(limit: 1)), ledger: ledger) { test in
            let device = Device("a", test)
            await #expect(throws: VerificationError.self) { try await device.attest("1", token: device.token()) }
            #expect(device.bits.map { ($0.first, $0.second) == (true, false) } == true, "counted before the commit")
            let again = try await device.attest("1", token: device.token())
            #expect(again.outcome == .accept, "\(again.failed)")
            #expect(device.bits.map { ($0.first, $0.second) == (true, false) } == true)
            #expect(try await device.attest("2", token: device.token()).failed == [CheckID.deviceCheckBan])
        }
    }

    @Test("Apple is asked three times about the same evidence, and an exceeded quota is never annotated")
    func repeated() async throws {
        try await TestApple.run(deviceCheck: Self.rules(outage: .annotate)) { test in
            let device = Device("a", test)
            #expect(try await device.attest("1", token: device.token()).outcome == .accept)
            let asked = test.script.requests.count
            test.script.script((0..<6).map { _ in .answer(429, "Too Many Requests") })
            for _ in 0..<2 {
                await #expect(throws: VerificationError.self) { try await device.attest("1", token: device.token()) }
            }
            let repeated = try await device.attest("1", token: device.token())
            #expect(repeated.failed.contains(CheckID.deviceCheckToken))
            #expect(Self.code(CheckID.deviceCheckToken, repeated) == "device-token-repeated")
            #expect(test.script.requests.count == asked + 2)
            // An hour later it may be asked again.
            test.time.pass(.seconds(3600))
            await #expect(throws: VerificationError.self) { try await device.attest("1", token: device.token()) }
        }
    }

    @Test("A policy that only annotates bans accepts the device, and says so")
    func annotated() async throws {
        try await TestApple.run(
            deviceCheck: Self.rules(), modes: [CheckID.deviceCheckBan: .annotate, CheckID.deviceCheckToken: .annotate]
        ) {
            test in
            let device = Device("a", test)
            device.setBits(true, false, month: "2026-01")
            let verdict = try await device.attest("1", token: device.token())
            #expect(verdict.outcome == .accept && verdict.annotated.contains(CheckID.deviceCheckBan))
            #expect(try await device.attest("2", token: nil).annotated.contains(CheckID.deviceCheckToken))
        }
    }

    @Test("A replay uses the captured bits and sends no request", .produces("device-check.answer", "not-asked"))
    func replays() async throws {
        try await TestApple.run(deviceCheck: Self.rules()) { test in
            let minted = try test.mint(AttestedKey(seed: "a", label: "1"))
            let verifier = Verifier(
                policy: test.verifier.policy, ledger: MemoryLedger(), services: [test.apple], engines: .standard,
                use: .analysis)
            for (bits, failed) in [
                (nil, []), (DeviceBits(first: false, second: true, changedIn: "2026-01"), []),
                (DeviceBits(first: true, second: false, changedIn: "2026-01"), [CheckID.deviceCheckBan]),
            ] as [(DeviceBits?, [CheckID])] {
                var record = minted.record(id: "1")
                record.deviceBits = bits
                let read = try RecordFile.read(Array(record.jsonLine.utf8)).first?.get()
                let assessment = try await verifier.assess(
                    try #require(read), ledger: MemoryLedger(), at: test.time.now)
                let verdict = try await assessment.verdict(committingTo: MemoryLedger(), at: test.time.now)
                #expect(verdict.failed == failed, "\(String(describing: bits))")
                #expect(verdict.deviceBits == bits)
                #expect(Self.code(CheckID.deviceCheckAnswer, verdict) == (bits == nil ? "not-asked" : nil))
            }
            #expect(test.script.requests.isEmpty)
        }
    }
}
