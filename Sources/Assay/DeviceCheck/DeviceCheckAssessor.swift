import AssayCore
import AssayPrimitives
import FoundationEssentials

/// Judges one device token.
struct DeviceCheckAssessor {
    let configuration: DeviceCheckConfiguration
    let modes: CheckModes
    let assessment: Assessment
    let ledger: any Ledger
    let now: Date
    let questions: DeviceQuestions

    /// What is known of a device: each is nil if its check has passed.
    private struct Findings {
        var answer: Finding?
        var token: Finding?
        var ban: Finding?
        /// Why the ban does not count: an operator's allowance.
        var excuse: LedgerAllowance?
        var bits: DeviceBits?
        var isTokenProven = true
    }

    // MARK: Without a question to Apple

    /// Evidence without a device token.
    func withoutToken() -> Assessment {
        // A policy may name the kind of the record, or that of the evidence that the record carries.
        guard configuration.required.contains(where: { $0 == assessment.kind || $0 == assessment.evidenceKind }) else {
            return skipping(.notApplicable)
        }
        return completed(
            Findings(token: Finding(.deviceTokenMissing, "the record has no deviceToken, which the policy demands")),
            effect: nil)
    }

    /// Evidence that came several times with a device token.
    func askedTooOften() -> Assessment {
        completed(
            Findings(
                token: Finding(
                    .deviceTokenRepeated,
                    "this evidence came with a device token \(DeviceQuestions.limit) times; new evidence is needed")),
            effect: nil)
    }

    /// Evidence that another check has rejected.
    func notReached() -> Assessment {
        let failed = assessment.checks.first { $0.status == .failed }?.check
        return skipping(failed.map { .check($0) } ?? .notApplicable)
    }

    /// Captured evidence, with what Apple said at the time.
    func replayed(_ bits: DeviceBits?) async throws(VerificationError) -> Assessment {
        guard assessment.isAcceptable else { return notReached() }
        guard let bits else { return skipping(.notApplicable, Finding(.notAsked, "the record has no deviceBits")) }
        let isNewEnrolment: Bool
        do throws(LedgerOutage) { isNewEnrolment = try await self.isNewEnrolment() } catch { throw .outage(error) }
        return completed(Findings(ban: ban(bits, isNewEnrolment: isNewEnrolment), bits: bits), effect: nil)
    }

    private func skipping(_ reason: CheckResult.SkipReason, _ finding: Finding? = nil) -> Assessment {
        assessment.adding(
            [
                .skipped(.deviceCheckAnswer, because: reason, finding),
                .skipped(.deviceCheckToken, because: reason), .skipped(.deviceCheckBan, because: reason),
            ], of: DeviceCheckCheck.catalogue, effect: nil,
            bits: nil)
    }

    // MARK: With Apple

    /// Asks Apple about a token.
    func assess(
        _ token: [UInt8], account: String?, asking service: any DeviceTokenService, _ app: DeviceTokenApp,
        counting count: (any Outage) -> Void
    ) async throws(VerificationError) -> Assessment {
        var findings = Findings()
        do throws(DeviceTokenError) {
            let bits = try await service.bits(of: token, app)
            findings.bits = bits
            let isNewEnrolment: Bool
            do throws(LedgerOutage) { isNewEnrolment = try await self.isNewEnrolment() } catch { throw .outage(error) }
            findings.ban = ban(bits, isNewEnrolment: isNewEnrolment)
            if assessment.isOnlyBlocked, findings.ban != nil {
                // The evidence is rejected anyway, and the device is banned already.
                findings.isTokenProven = false
            } else if assessment.isOnlyBlocked {
                // The bit also rejects the device's later keys.
                try await setBan(true, token, service, app)
                findings.ban = Finding(
                    .deviceBanned, "the device is banned now, as an operator blocked the key or the account")
            } else if findings.ban != nil, let allowance = try await allowance(account) {
                findings.excuse = allowance
                try await lift(token, service, app)
            } else if findings.ban == nil || modes[.deviceCheckBan] != .enforce {
                try await prove(token, bits, isNewEnrolment: isNewEnrolment, service, app)
            } else {
                findings.isTokenProven = false
            }
        } catch {
            switch error {
            case .refused(let said): findings.token = Finding(.deviceTokenRefused, "Apple says: \(said)")
            case .outage(let outage):
                // If Apple reported a device as banned, never accept it because a later request failed. An outage of the ledger is not
                // one of Apple.
                guard !(outage is LedgerOutage), Self.toleratedOutages.contains(outage.code),
                    configuration.outage == .annotate, findings.ban == nil || modes[.deviceCheckBan] != .enforce
                else { throw .outage(outage) }
                count(outage)
                return completed(
                    Findings(
                        answer: Finding(.appleUnavailable, "\(outage.code): \(outage.message)"), isTokenProven: false),
                    effect: nil)
            }
        }
        let use = UsedDigest(
            digest: Digest.sha256(Array("device token\n".utf8) + token), app: app.name, kind: assessment.kind,
            madeAt: now,
            usedAt: now, until: now.addingTimeInterval(DeviceCheckSection.memory))
        return completed(findings, effect: LedgerEffect(.deviceCheckReplay, .rememberDigest(use)))
    }

    /// The outages that no client can bring about by what it sends. A client can use up the quota, and an answer in an unknown form may
    /// be one to its token.
    private static let toleratedOutages: Set<OutageCode> = [
        .unreachable, .timeout, .serverError, .circuitOpen, .notAuthorised,
    ]

    /// Why the bits ban the device; nil if they do not.
    private func ban(_ bits: DeviceBits, isNewEnrolment: Bool) -> Finding? {
        guard !hasEnded(bits) else { return nil }
        switch configuration.meaning {
        case .ban(let bit):
            guard bit == .bit0 ? bits.first : bits.second else { return nil }
            return Finding(
                .deviceBanned, "\(bit.rawValue) of the device is set, since \(bits.changedIn ?? "an unknown month")")
        case .enrolments(let limit):
            guard isNewEnrolment, bits.count >= limit else { return nil }
            return Finding(
                .tooManyEnrolments, "the device has enrolled \(bits.count) keys, and the policy allows \(limit)")
        }
    }

    /// Whether the bits were set so long ago that they count as not set.
    private func hasEnded(_ bits: DeviceBits) -> Bool {
        guard let months = configuration.months, let changed = bits.monthOfChange else { return false }
        let today = RFC3339.format(now)
        let present = DeviceBits(first: false, second: false, changedIn: String(today.prefix(7))).monthOfChange
        return present.map { $0 - changed > months } ?? false
    }

    /// Proves the token by an update if the bits count this enrolment, else by a validation.
    private func prove(
        _ token: [UInt8], _ bits: DeviceBits, isNewEnrolment: Bool, _ service: any DeviceTokenService,
        _ app: DeviceTokenApp
    ) async throws(DeviceTokenError) {
        guard isNewEnrolment else { return try await service.validate(token, app) }
        let count = min((hasEnded(bits) ? 0 : bits.count) + 1, 3)
        try await service.setBits(of: token, first: count & 1 == 1, second: count & 2 == 2, app)
        questions.setCounted(assessment)
    }

    /// Whether the bits count enrolments, and the acceptance enrols a key that neither they nor the ledger have yet.
    private func isNewEnrolment() async throws(LedgerOutage) -> Bool {
        guard case .enrolments = configuration.meaning, !questions.hasCounted(assessment) else { return false }
        for effect in assessment.effects {
            guard case .enrol(let key, _) = effect.action else { continue }
            return try await ledger.enrolledKey(key.identifier) == nil
        }
        return false
    }

    private func setBan(
        _ isSet: Bool, _ token: [UInt8], _ service: any DeviceTokenService, _ app: DeviceTokenApp
    ) async throws(DeviceTokenError) {
        guard case .ban(let bit) = configuration.meaning else { return }
        try await service.setBits(
            of: token, first: bit == .bit0 ? isSet : nil, second: bit == .bit1 ? isSet : nil, app)
    }

    /// Takes the ban off the device; a count begins anew with this enrolment.
    private func lift(
        _ token: [UInt8], _ service: any DeviceTokenService, _ app: DeviceTokenApp
    ) async throws(DeviceTokenError) {
        switch configuration.meaning {
        case .ban: try await setBan(false, token, service, app)
        case .enrolments: try await service.setBits(of: token, first: true, second: false, app)
        }
    }

    /// The allowance of an operator for the ban of this key, device or account. If the caller names no account, the account of the
    /// key counts, as it does for blocks.
    private func allowance(_ account: String?) async throws(DeviceTokenError) -> LedgerAllowance? {
        var subjects: [LedgerSubject] = []
        if let subject = assessment.subject, let name = subject.identifier {
            subjects.append(LedgerSubject(subject.identifierKind, name))
        }
        do {
            let owner = if let account { account } else { try await accountOfKey() }
            if let owner { subjects.append(LedgerSubject(.account, owner)) }
            return try await ledger.standings(of: subjects, at: now).compactMap(\.allowance).first {
                $0.checks.contains(.deviceCheckBan)
            }
        } catch {
            throw .outage(error)
        }
    }

    /// The account of the key that the evidence enrols or uses; nil for none.
    private func accountOfKey() async throws(LedgerOutage) -> String? {
        for effect in assessment.effects {
            guard case .key(let identifier) = effect.action.row else { continue }
            if let account = try await ledger.enrolledKey(identifier)?.account { return account }
        }
        return nil
    }

    // MARK: Results

    private func completed(_ findings: Findings, effect: LedgerEffect?) -> Assessment {
        var run = CheckRun(modes: modes, capacity: 3)
        if let answer = findings.answer {
            run.policy(.deviceCheckAnswer) { () throws(CheckFailure) in throw CheckFailure(answer) }
            run.add(.skipped(.deviceCheckToken, because: .check(.deviceCheckAnswer)))
            run.add(.skipped(.deviceCheckBan, because: .check(.deviceCheckAnswer)))
        } else {
            let isAnswered = findings.bits != nil
            if isAnswered {
                run.add(.passed(.deviceCheckAnswer))
            } else {
                run.add(.skipped(.deviceCheckAnswer, because: .notApplicable))
            }
            if findings.isTokenProven || findings.token != nil {
                run.policy(.deviceCheckToken) { () throws(CheckFailure) in
                    if let token = findings.token { throw CheckFailure(token) }
                    return .passed
                }
            } else {
                run.add(.skipped(.deviceCheckToken, because: .check(.deviceCheckBan)))
            }
            if isAnswered {
                if let excuse = findings.excuse { run.allow([.allowed(excuse)]) }
                run.policy(.deviceCheckBan) { () throws(CheckFailure) in
                    if let ban = findings.ban { throw CheckFailure(ban) }
                    return .passed
                }
            } else {
                run.add(.skipped(.deviceCheckBan, because: .check(.deviceCheckToken)))
            }
        }
        return assessment.adding(
            run.results, of: DeviceCheckCheck.catalogue, effect: effect, bits: findings.bits)
    }
}

extension DeviceBits {
    /// The number that the bits write: `bit0` counts 1, and `bit1` 2.
    fileprivate var count: Int { (first ? 1 : 0) + (second ? 2 : 0) }
}
