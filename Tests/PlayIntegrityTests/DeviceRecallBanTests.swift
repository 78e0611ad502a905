import Assay
import AssayCore
import AssayTestSupport
import Foundation
import PlayIntegrity
import Synchronization
import Testing

/// A block of an account bans the device that its next token names, under `deviceRecall.blocks: ban`.
@Suite("Bans by device recall")
struct DeviceRecallBanTests {
    private typealias Bits = DeviceRecallBits<Bool>

    /// Opens every token with one payload, and records the bits that are written.
    private final class Google: IntegrityTokenDecoder, DeviceRecallWriter {
        let payload: JSON
        let answer: Result<String?, IntegrityDecoderOutage>
        let written = Mutex<[String]>([])

        init(_ payload: JSON, _ answer: Result<String?, IntegrityDecoderOutage> = .success(nil)) {
            self.payload = payload
            self.answer = answer
        }

        func decode(
            token: String, packageName: String, form: IntegrityTokenForm
        ) async throws(IntegrityDecoderOutage) -> [UInt8] { Array(FixedDecoder.body(payload).utf8) }

        func writeRecall(
            _ bits: DeviceRecallBits<Bool>, with token: String, packageName: String
        ) async throws(IntegrityDecoderOutage) -> String? {
            let changes = DeviceRecallBit.allCases.compactMap { bit in bits[bit].map { "\(bit.rawValue)=\($0)" } }
            written.withLock { $0.append("\(token.count) \(packageName) \(changes.joined(separator: " "))") }
            return try answer.get()
        }
    }

    private static let check = CheckID.playIntegrityDeviceRecall
    private static let ban = "\(FixedDecoder.token.count) \(Fixtures.packageName) bitFirst=true"
    private static let lift = "\(FixedDecoder.token.count) \(Fixtures.packageName) bitFirst=false"

    private static func payload(isSet: Bool?) -> JSON {
        var payload = Fixtures.standard
        payload["deviceIntegrity.deviceRecall.values.bitFirst"] = isSet.map { $0 ? true : false }
        return payload
    }

    private static func ledger(allowing checks: [CheckID]? = nil) async throws -> MemoryLedger {
        let (ledger, subject) = (MemoryLedger(), LedgerSubject(.account, "mallory"))
        if let checks {
            _ = try await ledger.allow(
                LedgerAllowance(
                    subject: subject, checks: checks, reason: "sold", since: Fixtures.now, until: nil))
        } else {
            try await ledger.block(LedgerBlock(subject: subject, reason: "fraud", since: Fixtures.now, until: nil))
        }
        return ledger
    }

    private static func verifier(
        _ google: Google, _ ledger: MemoryLedger, blocks: PlayIntegrityConfiguration.BlockRule = .ban,
        modes: [CheckID: CheckMode]? = nil
    ) throws -> Verifier {
        var rules = Fixtures.rules(rejectedRecallBits: [.bitFirst, .bitThird])
        rules.blocks = blocks
        return try Fixtures.verifier(
            Fixtures.configuration(android: rules), modes: modes, ledger: ledger, services: [google])
    }

    private static func judge(_ verifier: Verifier, _ account: String? = "mallory") async throws -> Verdict {
        try await verifier.verify(FixedDecoder.input(), account: account, at: Fixtures.now)
    }

    @Test(
        "The next token of a blocked account sets the first bit of `reject`; the block alone rejects the token",
        .produces("play-integrity.device-recall", "device-recall-banned"))
    func bans() async throws {
        let google = Google(Self.payload(isSet: false))
        let verdict = try await Self.judge(Self.verifier(google, Self.ledger()))
        #expect(verdict.failed == [CheckID.playIntegrityAccount])
        #expect(verdict.code(Self.check) == "device-recall-banned")
        #expect(google.written.withLock { $0 } == [Self.ban])
        // A classic token that the app's own keys open reaches the bits, too.
        let token = try Fixtures.classicToken()
        let classic = try await Self.verifier(google, Self.ledger()).verify(
            Fixtures.classic(token: token), account: "mallory", at: Fixtures.now)
        #expect(classic.code(Self.check) == "device-recall-banned", "\(classic.failed)")
        #expect(google.written.withLock { $0.last } == "\(token.count) \(Fixtures.packageName) bitFirst=true")
    }

    @Test("Nothing is written without the rule, for other accounts, other failures, and a bit that is set or unknown")
    func leavesAlone() async throws {
        let (clear, check) = (Self.payload(isSet: false), Self.check)
        var forged = clear
        forged["appIntegrity.packageName"] = "com.example.copy"
        typealias Case = (
            payload: JSON, blocks: PlayIntegrityConfiguration.BlockRule, account: String?,
            modes: [CheckID: CheckMode]?
        )
        let cases: [Case] = [
            (clear, .none, "mallory", nil), (clear, .ban, "alice", nil), (clear, .ban, nil, nil),
            (forged, .ban, "mallory", nil), (Self.payload(isSet: true), .ban, "mallory", nil),
            (Self.payload(isSet: nil), .ban, "mallory", nil),
            (Self.payload(isSet: nil), .ban, "mallory", [check: .annotate]), (clear, .ban, "mallory", [check: .off]),
        ]
        for (index, row) in cases.enumerated() {
            let google = Google(row.payload)
            let verifier = try await Self.verifier(google, Self.ledger(), blocks: row.blocks, modes: row.modes)
            _ = try await Self.judge(verifier, row.account)
            #expect(google.written.withLock { $0 } == [], "\(index)")
        }
        // An answer in the evidence has no token that Google would take.
        let google = Google(clear)
        var rules = Fixtures.rules()
        rules.blocks = .ban
        let verifier = try await Fixtures.verifier(
            Fixtures.configuration(android: rules, answers: .caller), ledger: Self.ledger(), services: [google])
        let verdict = try await verifier.verify(Fixtures.answer(clear), account: "mallory", at: Fixtures.now)
        #expect(verdict.failed == [CheckID.playIntegrityAccount])
        #expect(google.written.withLock { $0 } == [])
    }

    @Test("An allowance of the check lets the next token in and clears the bit; one of another check does neither")
    func lifts() async throws {
        let google = Google(Self.payload(isSet: true))
        let verdict = try await Self.judge(Self.verifier(google, Self.ledger(allowing: [Self.check])))
        #expect(verdict.outcome == .accept)
        let result = try #require(verdict.result(Self.check))
        #expect(result.status == .annotated && result.finding?.code == "device-recall-set")
        #expect(result.finding?.detail.contains("bitFirst is cleared now") == true)
        #expect(result.finding?.detail.contains("sold") == true, "the allowance is named")
        #expect(google.written.withLock { $0 } == [Self.lift])
        let other = Google(Self.payload(isSet: true))
        let refused = try await Self.judge(
            Self.verifier(other, Self.ledger(allowing: [CheckID.playIntegrityLicensing])))
        #expect(refused.failed == [Self.check])
        #expect(other.written.withLock { $0 } == [])
    }

    @Test(
        "A write that fails changes no verdict, and the verdict says why it failed",
        .produces("play-integrity.device-recall", "device-recall-not-written"),
        arguments: [
            (Result<String?, IntegrityDecoderOutage>.success("INVALID_ARGUMENT: Token is too old."), "too old"),
            (.failure(IntegrityDecoderOutage(.quota, "no more today")), "no more today"),
        ])
    func fails(_ answer: Result<String?, IntegrityDecoderOutage>, _ words: String) async throws {
        let verdict = try await Self.judge(
            Self.verifier(Google(Self.payload(isSet: false), answer), Self.ledger()))
        #expect(verdict.failed == [CheckID.playIntegrityAccount])
        let finding = try #require(verdict.result(Self.check)?.finding)
        #expect(finding.code == "device-recall-not-written" && finding.detail.contains(words), "\(finding.detail)")
        let lifted = try await Self.judge(
            Self.verifier(Google(Self.payload(isSet: true), answer), Self.ledger(allowing: [Self.check])))
        #expect(lifted.outcome == .accept)
        #expect(lifted.result(Self.check)?.finding?.detail.contains(words) == true)
    }

    @Test("Tokens of one account write at most three times in an hour, as verdicts show a bit only later")
    func limit() async throws {
        let google = Google(Self.payload(isSet: false))
        let verifier = try await Self.verifier(google, Self.ledger())
        for _ in 0..<5 { _ = try await Self.judge(verifier) }
        #expect(google.written.withLock { $0.count } == 3)
    }
}
