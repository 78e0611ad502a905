import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import FoundationEssentials

/// What must hold of the claims of an authentic token.
struct TokenChecks {
    let token: AuthenticToken
    let binding: [ApproovBoundValue]
    let address: String?
    let standings: [LedgerStanding]
    let expectations: ApproovExpectations
    let now: Date

    private var claims: ApproovClaims { token.claims }
    private var configuration: ApproovConfiguration { expectations.configuration }

    func run(_ run: inout CheckRun) {
        _ = run.gate(ApproovCheck.expiry) { () throws(CheckFailure) in try expiry() }
        run.conditionalGate(ApproovCheck.binding) { () throws(CheckFailure) in try boundData() }
        run.policy(ApproovCheck.issuer) { () throws(CheckFailure) in try issuer() }
        run.policy(ApproovCheck.audience) { () throws(CheckFailure) in try audience() }
        run.policy(ApproovCheck.failover) { () throws(CheckFailure) in try failover() }
        run.policy(ApproovCheck.annotations) { () throws(CheckFailure) in try annotations() }
        run.policy(ApproovCheck.device) { () throws(CheckFailure) in try device() }
        run.policy(ApproovCheck.address) { clientAddress() }
    }

    /// The token has not expired, is valid already, and lives no longer than the policy allows. A token whose `exp` is the
    /// time of judgement has expired.
    private func expiry() throws(CheckFailure) {
        let present = now.timeIntervalSince1970
        guard let end = claims.expiry else {
            throw CheckFailure("expiry-missing", "the token does not say when it expires")
        }
        guard abs(end) < ApproovClaims.endOfTime else {
            throw CheckFailure("expiry-out-of-range", "exp is beyond all time that can be written")
        }
        guard end > present else {
            throw CheckFailure(
                "expired", "the token expired at \(Self.text(end)), and is judged at \(Self.text(present))")
        }
        if let start = claims.notBefore, start > present {
            throw CheckFailure(
                "not-yet-valid",
                "the token is valid from \(abs(start) < ApproovClaims.endOfTime ? Self.text(start) : "never") on, and is "
                    + "judged at \(Self.text(present))")
        }
        if let limit = configuration.maximumLifetime, token.source != .longLived, end - present > limit {
            throw CheckFailure(
                "lives-too-long",
                "the token lives until \(Self.text(end)), and the policy's maximumLifetime is \(Int(limit)) s; example "
                    + "tokens live for an hour")
        }
    }

    private static func text(_ seconds: Double) -> String { RFC3339.format(Date(timeIntervalSince1970: seconds)) }

    /// The digest in the token is that of what the request carries.
    private func boundData() throws(CheckFailure) -> PolicyAnswer {
        let names = configuration.binding
        if token.form == .loggable {
            return .notApplicable(Finding("no-request", "a loggable token comes without the request that it was for"))
        }
        guard !names.isEmpty || !binding.isEmpty else { return .notAsked }
        guard let digest = claims.boundDigest else {
            switch token.source {
            case .longLived:
                return .notApplicable(Finding("long-lived", "the long-lived tokens of servers are bound to nothing"))
            case .failover where configuration.failover == .accept:
                return .notApplicable(
                    Finding(
                        "failover",
                        "the tokens of the failover service are bound to nothing, and the policy accepts them"))
            case .failover, .app:
                throw CheckFailure("not-bound", "the token is bound to nothing, and the API demands that it is")
            }
        }
        var parts: [ArraySlice<UInt8>] = []
        for index in 0..<max(names.count, binding.count) {
            let name = index < names.count ? names[index].excerpt : "value \(index + 1)"
            guard index < names.count || names.isEmpty else {
                throw CheckFailure(
                    "binding-unexpected",
                    "\(binding.count) values were presented, and the policy binds tokens to \(names.count)")
            }
            switch index < binding.count ? binding[index] : .missing {
            case .missing: throw Self.absence(of: name)
            case .repeated:
                throw CheckFailure(
                    "binding-repeated", "\(name) came several times, and the token is bound to one value")
            case .value(let value):
                let trimmed = HTTPFieldText.trimmed(Array(value.utf8)[...])
                guard !trimmed.isEmpty else { throw Self.absence(of: name) }
                parts.append(trimmed)
            }
        }
        let joined = parts.count == 1 ? parts[0] : Array(parts.joined())[...]
        guard ConstantTime.equals(Digest.sha256(joined), digest) else {
            throw CheckFailure(
                "binding-differs",
                "the token is bound to something else than the values of "
                    + (names.isEmpty ? "this request" : names.map(\.excerpt).joined(separator: ", ")))
        }
        return .holds
    }

    private static func absence(of name: String) -> CheckFailure {
        CheckFailure("binding-missing", "the request carries nothing in \(name), which the token is to be bound to")
    }

    /// The issuer is one that the policy allows for such tokens, and is not revoked.
    private func issuer() throws(CheckFailure) -> PolicyAnswer {
        guard let issuer = claims.issuer else { return .notAsked }
        let allowed = token.source == .longLived ? configuration.longLivedIssuers : configuration.issuers
        guard allowed.containsBytes(of: issuer) else {
            let isServer = claims.deviceID == nil
            throw CheckFailure(
                "issuer-not-allowed",
                "the token is issued by \"\(issuer.excerpt)\", and the policy allows "
                    + (allowed.isEmpty ? "no issuer" : allowed.map(\.excerpt).joined(separator: ", "))
                    + (isServer
                        ? "; servers with long-lived tokens stand under longLivedIssuers, and the failover service under issuers"
                        : ""))
        }
        if let block = standings.block(of: ApproovSubjects.issuer(issuer)) {
            throw CheckFailure("issuer-revoked", block.sentence)
        }
        return .holds
    }

    /// The token is meant for an audience of the policy's (RFC 7519 section 4.1.3: a token for others must be refused).
    private func audience() throws(CheckFailure) -> PolicyAnswer {
        let allowed = configuration.audiences
        guard let audiences = claims.audiences else {
            guard allowed.isEmpty || token.source != .app else {
                throw CheckFailure(
                    "audience-missing",
                    "the token names no audience, and the policy demands "
                        + allowed.map(\.excerpt).joined(separator: " or "))
            }
            return .notAsked
        }
        guard audiences.contains(where: { allowed.containsBytes(of: $0) }) else {
            throw CheckFailure(
                "audience-differs",
                "the token is meant for \(Self.listed(audiences)), and the policy's audiences are \(Self.listed(allowed))"
            )
        }
        return .holds
    }

    /// The token is the primary service's, or the policy accepts those of the failover.
    private func failover() throws(CheckFailure) -> PolicyAnswer {
        guard token.source == .failover else { return .holds }
        switch configuration.failover {
        case .reject:
            throw CheckFailure(
                "failover", "the token names no device, as those of the failover service, which the policy rejects")
        case .accept:
            let finding = Finding("failover", "the token names no device, as those of the failover service")
            return configuration.binding.isEmpty ? .remarked(finding) : .noted(finding)
        }
    }

    /// No property of the device is one that the policy rejects. A device that the ledger allows is only noted.
    private func annotations() throws(CheckFailure) -> PolicyAnswer {
        guard let found = claims.annotations, !found.isEmpty else { return .notAsked }
        let rules = configuration.annotations
        var (rejected, noted): ([String], [String]) = ([], [])
        for annotation in found {
            if rules.reject.containsBytes(of: annotation) {
                rejected.append(annotation)
            } else if rules.note.containsBytes(of: annotation) {
                noted.append(annotation)
            } else if !rules.ignore.containsBytes(of: annotation) {
                switch rules.others {
                case .reject: rejected.append(annotation)
                case .note: noted.append(annotation)
                case .ignore: break
                }
            }
        }
        if !rejected.isEmpty {
            let list = Self.listed(rejected)
            if let did = claims.deviceID, let allowance = standings.allowance(of: ApproovSubjects.device(did)) {
                return .noted(
                    Finding("annotations-allowed", "the policy rejects \(list), and \(allowance.sentence)"))
            }
            throw CheckFailure(
                "annotations-rejected", "the token tells of the device: \(list), which the policy rejects")
        }
        guard !noted.isEmpty else { return .holds }
        let list = Self.listed(noted)
        return .noted(Finding("annotations-noted", "the token tells of the device: \(list)"))
    }

    private static func listed(_ words: [String]) -> String {
        guard !words.isEmpty else { return "none" }
        let rest = words.count - 16
        return words.prefix(16).map(\.excerpt).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// The device is not blocked in the ledger.
    private func device() throws(CheckFailure) -> PolicyAnswer {
        guard let did = claims.deviceID else {
            return .notApplicable(Finding("no-device", "the token names no device"))
        }
        guard !standings.isEmpty else { return .holds }
        if let block = standings.block(of: ApproovSubjects.device(did)) {
            throw CheckFailure("device-blocked", block.sentence)
        }
        guard let allowance = standings.allowance(of: ApproovSubjects.device(did)) else { return .holds }
        return .remarked(Finding("device-allowed", allowance.sentence))
    }

    /// Made once: nobody says it for most requests.
    private static let unknownAddress = PolicyAnswer.notApplicable(
        Finding("address-unknown", "nobody has said where the request comes from"))

    /// The request comes from the address that Approov saw: a signal, since devices change networks within a token's life.
    /// It is noted and never fails, whatever mode a caller sets.
    private func clientAddress() -> PolicyAnswer {
        guard let address else { return Self.unknownAddress }
        guard let seen = claims.address, !seen.isEmpty else {
            return .notApplicable(Finding("address-missing", "the token does not say which address Approov saw"))
        }
        guard let left = IPAddress(address) else {
            return .noted(Finding("address-malformed", "\"\(address.excerpt)\" is no IPv4 or IPv6 address"))
        }
        guard let right = IPAddress(seen), left == right else {
            return .noted(
                Finding(
                    "address-differs", "Approov saw \(seen.excerpt), and the request comes from \(address.excerpt)"))
        }
        return .holds
    }
}

/// How the ledger names what tokens tell.
enum ApproovSubjects {
    static func device(_ deviceID: String) -> LedgerSubject { LedgerSubject(.device, deviceID) }
    static func issuer(_ issuer: String) -> LedgerSubject { LedgerSubject(.issuer, issuer) }

    /// The subjects of a token that the ledger may know.
    static func all(of claims: ApproovClaims) -> [LedgerSubject] {
        switch (claims.deviceID, claims.issuer) {
        case (let did?, let issuer?): [device(did), self.issuer(issuer)]
        case (let did?, nil): [device(did)]
        case (nil, let issuer?): [self.issuer(issuer)]
        case (nil, nil): []
        }
    }
}
