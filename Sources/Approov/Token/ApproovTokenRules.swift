public import AssayCore
import FoundationEssentials

/// The rules for the claims of an authentic token, each next to its check's name, entry and codes.
struct ApproovTokenRules {
    /// The entries of the checks, in the order in which they run.
    static let catalogue = [
        expiryEntry, bindingEntry, tamperingEntry, issuerEntry, audienceEntry, failoverEntry, annotationsEntry,
        deviceEntry, accountEntry, addressEntry,
    ]

    let token: AuthenticToken
    let binding: [ApproovBoundValue]
    let address: String?
    let standings: [LedgerStanding]
    let expectations: ApproovExpectations
    let now: Date

    var claims: ApproovClaims { token.claims }
    var configuration: ApproovConfiguration { expectations.configuration }

    func run(_ account: AccountStandings, _ run: inout CheckRun) {
        run.allow(standings)
        _ = run.gate(.approovTokenExpiry, try expiry())
        run.conditionalGate(.approovTokenBinding, try boundData())
        _ = run.gate(.approovTokenTampering, try tampering())
        run.policy(.approovTokenIssuer, try issuer())
        run.confirm(claims.issuer.map(ApproovSubjects.issuer), .issuerRevoked)
        run.policy(.approovTokenAudience, try audience())
        run.policy(.approovTokenFailover, try failover())
        run.policy(.approovTokenAnnotations, try annotations())
        run.policy(.approovTokenDevice, try device())
        run.confirm(claims.deviceID.map(ApproovSubjects.device), .deviceBlocked)
        run.policy(.approovTokenAccount, try account.answer())
        run.confirm(account)
        run.policy(.approovTokenAddress, clientAddress())
    }
}

extension CheckID {
    /// The token has not expired.
    public static let approovTokenExpiry = CheckID("approov.token.expiry")
    /// The token is bound to the data in this request.
    public static let approovTokenBinding = CheckID("approov.token.binding")
}

extension ApproovTokenRules {
    static let expiryEntry = CheckDefinition(
        .approovTokenExpiry, .gate,
        proves: "The token says when it expires, and that is still ahead.",
        stops: "Tokens that were collected earlier.",
        lookAt: """
            The server's clock; whether the app keeps tokens instead of fetching one for each request; \
            `maximumLifetime` in the policy.
            """,
        source: "RFC 7519 section 4.1.4; Approov, Token Lifespan",
        remedy: .retry,
        codes: [.expiryMissing, .expiryOutOfRange, .approovTokenExpired, .tokenNotYetValid, .livesTooLong])

    /// The token is valid now, and its remaining life is within the policy's limit. At `exp` it has expired.
    func expiry() throws(CheckFailure) {
        let present = now.timeIntervalSince1970
        guard let end = claims.expiry else {
            throw CheckFailure(.expiryMissing, "the token does not say when it expires")
        }
        guard abs(end) < ApproovClaims.endOfTime else {
            throw CheckFailure(.expiryOutOfRange, "exp is beyond all time that can be written")
        }
        guard end > present else {
            throw CheckFailure(
                .approovTokenExpired, "the token expired at \(Self.text(end)), and is judged at \(Self.text(present))")
        }
        if let start = claims.notBefore, start > present {
            throw CheckFailure(
                .tokenNotYetValid,
                "the token is valid from \(abs(start) < ApproovClaims.endOfTime ? Self.text(start) : "never") on, and is "
                    + "judged at \(Self.text(present))")
        }
        if let limit = configuration.maximumLifetime, token.source != .longLived, end - present > limit {
            throw CheckFailure(
                .livesTooLong,
                "the token lives until \(Self.text(end)), and the policy's maximumLifetime is \(Int(limit)) s; example "
                    + "tokens live for an hour")
        }
    }

    private static func text(_ seconds: Double) -> String { RFC3339.format(Date(timeIntervalSince1970: seconds)) }

    static let bindingEntry = CheckDefinition(
        .approovTokenBinding, .gate,
        proves: "The token is bound to the values that this request carries in the policy's fields, in their order.",
        stops: "A stolen token that is sent with another session.",
        lookAt: """
            `binding` in the policy; whether app and server hash the same text, such as with `Bearer ` in front; \
            fields that a proxy adds or removes.
            """,
        source: "Approov, Token Binding",
        remedy: .retry,
        codes: [
            .noRequest, .longLivedUnbound, .failoverUnbound, .notBound, .bindingUnexpected, .bindingRepeated,
            .bindingDiffers, .bindingMissing, .bindingNotCompared, .bindingOfLoggable, .unboundRequest, .boundToAbsence,
        ])

    func boundData() throws(CheckFailure) -> PolicyAnswer {
        let names = configuration.binding
        if token.form == .loggable {
            guard binding.isEmpty else {
                throw CheckFailure(
                    .bindingOfLoggable,
                    "values of a request are presented with a loggable token, which is bound to none of them: it shows that "
                        + "Approov issued such a token, and not that this request has it")
            }
            return .notApplicable(Finding(.noRequest, "a loggable token comes without the request that it was for"))
        }
        guard !names.isEmpty || !binding.isEmpty else {
            guard claims.boundDigest != nil else { return .notRequired }
            return .notRequiredWithRemark(
                Finding(
                    .bindingNotCompared,
                    "the token is bound to values of its request, and nothing is compared: the policy names no fields"))
        }
        let isAbsent = !binding.isEmpty && binding.allSatisfy { $0.isAbsent }
        guard let digest = claims.boundDigest else {
            if configuration.whenAbsent == .none, isAbsent {
                return .notRequiredWithRemark(
                    Finding(
                        .unboundRequest,
                        "the request has none of the fields that tokens are bound to, and the token is bound to nothing"
                    ))
            }
            switch token.source {
            case .longLived:
                return .notApplicable(
                    Finding(.longLivedUnbound, "the long-lived tokens of servers are bound to nothing"))
            case .failover where configuration.failover == .accept:
                return .notApplicable(
                    Finding(
                        .failoverUnbound,
                        "the tokens of the failover service are bound to nothing, and the policy accepts them"))
            case .failover, .app:
                throw CheckFailure(.notBound, "the token is bound to nothing, and the API demands that it is")
            }
        }
        if case .value(let text) = configuration.whenAbsent, isAbsent {
            guard ConstantTime.equals(Digest.sha256(Array(text.utf8)[...]), digest) else {
                throw CheckFailure(
                    .bindingMissing,
                    "the request carries nothing in \(names.map(\.excerpt).joined(separator: ", ")), and the token is bound to "
                        + "something else than the text of whenAbsent.value")
            }
            return .passedWithRemark(
                Finding(
                    .boundToAbsence,
                    "the request has none of the fields that tokens are bound to, and the token is bound to the text of "
                        + "whenAbsent.value"))
        }
        var parts: [ArraySlice<UInt8>] = []
        for index in 0..<max(names.count, binding.count) {
            let name = index < names.count ? names[index].excerpt : "value \(index + 1)"
            guard index < names.count || names.isEmpty else {
                throw CheckFailure(
                    .bindingUnexpected,
                    "\(binding.count) values were presented, and the policy binds tokens to \(names.count)")
            }
            switch index < binding.count ? binding[index] : .missing {
            case .missing: throw Self.absence(of: name)
            case .repeated:
                throw CheckFailure(
                    .bindingRepeated, "\(name) came several times, and the token is bound to one value")
            case .value(let value):
                let trimmed = HTTPFieldText.trimmed(Array(value.utf8)[...])
                guard !trimmed.isEmpty else { throw Self.absence(of: name) }
                parts.append(trimmed)
            }
        }
        let joined = parts.count == 1 ? parts[0] : Array(parts.joined())[...]
        guard ConstantTime.equals(Digest.sha256(joined), digest) else {
            throw CheckFailure(
                .bindingDiffers,
                "the token is bound to something else than the values of "
                    + (names.isEmpty ? "this request" : names.map(\.excerpt).joined(separator: ", ")))
        }
        return .passed
    }

    private static func absence(of name: String) -> CheckFailure {
        CheckFailure(.bindingMissing, "the request carries nothing in \(name), to which the policy binds the token")
    }
}

extension ApproovBoundValue {
    /// Whether the field is missing or empty. Records contain an empty text for a missing field.
    fileprivate var isAbsent: Bool {
        switch self {
        case .missing: true
        case .repeated: false
        case .value(let value): HTTPFieldText.trimmed(Array(value.utf8)[...]).isEmpty
        }
    }
}

/// The ledger subjects for the device and the issuer of a token.
enum ApproovSubjects {
    static func device(_ deviceID: String) -> LedgerSubject { LedgerSubject(.device, deviceID) }
    static func issuer(_ issuer: String) -> LedgerSubject { LedgerSubject(.issuer, issuer) }

    /// The subjects of a token for the ledger lookup.
    static func all(of claims: ApproovClaims) -> [LedgerSubject] {
        switch (claims.deviceID, claims.issuer) {
        case (let did?, let issuer?): [device(did), self.issuer(issuer)]
        case (let did?, nil): [device(did)]
        case (nil, let issuer?): [self.issuer(issuer)]
        case (nil, nil): []
        }
    }
}

extension CheckCode {
    fileprivate static let expiryMissing = CheckCode(
        "expiry-missing", "The token does not state when it expires: no genuine token omits it.", remedy: .nothing)
    fileprivate static let expiryOutOfRange = CheckCode(
        "expiry-out-of-range", "The token's `exp` lies beyond the year 9999: no genuine token has such a value.",
        remedy: .nothing)
    /// The token has expired: the app fetches one for each request.
    public static let approovTokenExpired = CheckCode(
        "expired", "The token has expired: the app must fetch a token for each request; check the server's clock.")
    fileprivate static let tokenNotYetValid = CheckCode(
        "not-yet-valid", "The token is not valid yet: check the server's clock.")
    fileprivate static let livesTooLong = CheckCode(
        "lives-too-long", "The token lives longer than `maximumLifetime` allows, such as an example token.",
        remedy: .nothing)
    fileprivate static let noRequest = CheckCode(
        "no-request",
        "A loggable token comes without the request that it was for, so that no binding can be compared: no action.",
        remedy: .nothing)
    fileprivate static let longLivedUnbound = CheckCode(
        "long-lived", "The long-lived tokens of servers are not bound: no action.", remedy: .nothing)
    fileprivate static let failoverUnbound = CheckCode(
        "failover", "The tokens of the failover service are not bound, and the policy accepts them: no action.")
    fileprivate static let notBound = CheckCode(
        "not-bound",
        "The policy demands binding, and the token is not bound: call the SDK's setDataHashInToken in the app.")
    fileprivate static let bindingUnexpected = CheckCode(
        "binding-unexpected", "The evidence has more values than `binding` in the policy has fields.",
        remedy: .contactSupport)
    fileprivate static let bindingRepeated = CheckCode(
        "binding-repeated", "A bound field came several times, and the token is bound to one value.", remedy: .nothing)
    fileprivate static let bindingDiffers = CheckCode(
        "binding-differs",
        "The token is bound to other values: stolen, or app and server hash different text, such as with `Bearer `.")
    fileprivate static let bindingOfLoggable = CheckCode(
        "binding-of-loggable",
        "Values of a request came with a loggable token, which no request is bound to: present the token itself.",
        remedy: .nothing)
    fileprivate static let bindingNotCompared = CheckCode(
        "binding-not-compared",
        "The token is bound to values of its request, and the policy names no fields to compare: set `binding` in the policy."
    )
    fileprivate static let unboundRequest = CheckCode(
        "unbound-request",
        "The request has none of the fields that tokens are bound to, and `whenAbsent: none` lets it pass: no action.")
    fileprivate static let boundToAbsence = CheckCode(
        "bound-to-absence",
        """
        The request has none of the fields that tokens are bound to, and the token is bound to the text of `whenAbsent.value`, as \
        before login: no action.
        """)
    fileprivate static let bindingMissing = CheckCode(
        "binding-missing",
        "The request lacks a field to which the policy binds tokens: the app did not send it, or a proxy removed it.")
}
