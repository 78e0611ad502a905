public import AssayCore

extension CheckID {
    /// The issuer, if any, is one of the policy's and is not revoked.
    public static let approovTokenIssuer = CheckID("approov.token.issuer")
    /// The token is meant for this API.
    public static let approovTokenAudience = CheckID("approov.token.audience")
    /// The token comes from the primary service, or the policy accepts failover tokens.
    public static let approovTokenFailover = CheckID("approov.token.failover")
    /// The token names no property that shows tampering.
    public static let approovTokenTampering = CheckID("approov.token.tampering")
    /// The device has no property that the policy rejects.
    public static let approovTokenAnnotations = CheckID("approov.token.annotations")
    /// The device is not blocked.
    public static let approovTokenDevice = CheckID("approov.token.device")
    /// The account is not blocked.
    public static let approovTokenAccount = CheckID("approov.token.account")
    /// The request comes from the address that Approov saw.
    public static let approovTokenAddress = CheckID("approov.token.address")
}

extension ApproovTokenRules {
    fileprivate static func listed(_ words: [String]) -> String {
        guard !words.isEmpty else { return "none" }
        let rest = words.count - 16
        return words.prefix(16).map(\.excerpt).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    static let issuerEntry = CheckDefinition(
        .approovTokenIssuer, .policy(default: .enforce),
        proves: "The issuer that the token names is one of the policy's, and not revoked in the ledger.",
        stops: "Long-lived tokens that the policy does not list, or that were lost.",
        lookAt: """
            `longLivedIssuers` in the policy, and `issuers` for what the failover service names itself; `assay ledger \
            show --issuer NAME`.
            """,
        source: "Approov, Long Lived Approov Tokens",
        remedy: .contactSupport, codes: [.issuerNotAllowed, .issuerRevoked])

    func issuer() throws(CheckFailure) -> PolicyAnswer {
        guard let issuer = claims.issuer else { return .notRequired }
        let allowed = token.source == .longLived ? configuration.longLivedIssuers : configuration.issuers
        guard allowed.containsBytes(of: issuer) else {
            let isServer = claims.deviceID == nil
            throw CheckFailure(
                .issuerNotAllowed,
                "the token is issued by \"\(issuer.excerpt)\", and the policy allows "
                    + (allowed.isEmpty ? "no issuer" : allowed.map(\.excerpt).joined(separator: ", "))
                    + (isServer
                        ? "; servers with long-lived tokens stand under longLivedIssuers, and the failover service under issuers"
                        : ""))
        }
        if let block = standings.block(on: ApproovSubjects.issuer(issuer)) {
            throw CheckFailure(.issuerRevoked, block)
        }
        return .passed
    }

    static let audienceEntry = CheckDefinition(
        .approovTokenAudience, .policy(default: .enforce),
        proves: "The token is meant for an audience of the policy's.",
        stops: "Tokens that were issued for another API of the account.",
        lookAt: "`audiences` in the policy.",
        source: "RFC 7519 section 4.1.3",
        remedy: .contactSupport, codes: [.audienceMissing, .audienceDiffers])

    /// The policy has one of the token's audiences (RFC 7519 section 4.1.3: reject a token for others).
    func audience() throws(CheckFailure) -> PolicyAnswer {
        let allowed = configuration.audiences
        guard let audiences = claims.audiences else {
            guard allowed.isEmpty || token.source != .app else {
                throw CheckFailure(
                    .audienceMissing,
                    "the token names no audience, and the policy demands "
                        + allowed.map(\.excerpt).joined(separator: " or "))
            }
            return .notRequired
        }
        guard audiences.contains(where: { allowed.containsBytes(of: $0) }) else {
            throw CheckFailure(
                .audienceDiffers,
                "the token is meant for \(Self.listed(audiences)), and the policy's audiences are \(Self.listed(allowed))"
            )
        }
        return .passed
    }

    static let failoverEntry = CheckDefinition(
        .approovTokenFailover, .policy(default: .enforce),
        proves: """
            The token names a device, as tokens of the primary service do, or the policy accepts tokens of the \
            failover service.
            """,
        stops: "Tokens without device and binding as a way around both.",
        lookAt: "`failover` in the policy; whether Approov's primary service is down.",
        source: "Approov, Failover System",
        remedy: .retry, codes: [.failoverToken])

    func failover() throws(CheckFailure) -> PolicyAnswer {
        guard token.source == .failover else { return .passed }
        switch configuration.failover {
        case .reject:
            throw CheckFailure(
                .failoverToken, "the token names no device, as those of the failover service, which the policy rejects")
        case .accept:
            let finding = Finding(.failoverToken, "the token names no device, as those of the failover service")
            return configuration.binding.isEmpty ? .passedWithRemark(finding) : .annotated(finding)
        }
    }

    static let tamperingEntry = CheckDefinition(
        .approovTokenTampering, .gate,
        proves: "The token names none of \(AnnotationRules.floor.joined(separator: ", ")).",
        stops: "Apps that were changed while they ran, and exchanges with Approov that were tampered with.",
        lookAt: "The property that the detail names. No policy lets it pass.",
        source: "Approov, Annotation Results",
        remedy: .contactSupport, codes: [.tampered])

    static let annotationsEntry = CheckDefinition(
        .approovTokenAnnotations, .policy(default: .enforce),
        proves: "The token names no property of the device that the policy rejects.",
        stops: "Devices that Approov accepts and the policy does not.",
        lookAt: "`annotations` in the policy; `assay ledger allow --device DID --reason ...` for a device of your own.",
        source: "Approov, Annotation Results",
        remedy: .contactSupport, codes: [.approovAnnotationsRejected, .annotationsNoted])

    func tampering() throws(CheckFailure) {
        guard let found = claims.annotations else { return }
        let tampered = found.filter { AnnotationRules.floor.containsBytes(of: $0) }
        guard tampered.isEmpty else {
            throw CheckFailure(
                .tampered, "the token reports of the device: \(Self.listed(tampered)), which shows tampering")
        }
    }

    /// The policy rejects no property of the device.
    func annotations() throws(CheckFailure) -> PolicyAnswer {
        let rules = configuration.annotations
        let found = claims.annotations ?? []
        guard rules.preset != .blacklist else {
            throw CheckFailure(.approovAnnotationsRejected, "the policy's preset blacklist rejects every token")
        }
        guard !found.isEmpty else { return .notRequired }
        var (rejected, noted): ([String], [String]) = ([], [])
        for annotation in found where !AnnotationRules.floor.containsBytes(of: annotation) {
            switch rules.rule(for: annotation, among: found) {
            case .reject: rejected.append(annotation)
            case .note: noted.append(annotation)
            case .ignore: break
            }
        }
        if !rejected.isEmpty {
            let list = Self.listed(rejected)
            throw CheckFailure(
                .approovAnnotationsRejected, "the token reports of the device: \(list), which the policy rejects")
        }
        guard !noted.isEmpty else { return .passed }
        let list = Self.listed(noted)
        return .annotated(Finding(.annotationsNoted, "the token reports of the device: \(list)"))
    }

    static let deviceEntry = CheckDefinition(
        .approovTokenDevice, .policy(default: .enforce),
        proves: "The device is not blocked in the ledger.",
        stops: "Devices that were found to do harm.",
        lookAt: "`assay ledger show --device DID`, which shows since when, until when and why.",
        source: "Approov, Managing Devices",
        remedy: .contactSupport, codes: [.noDevice, .deviceBlocked, .deviceAllowed])

    func device() throws(CheckFailure) -> PolicyAnswer {
        guard let did = claims.deviceID else {
            return .notApplicable(Finding(.noDevice, "the token names no device"))
        }
        guard !standings.isEmpty else { return .passed }
        let device = ApproovSubjects.device(did)
        if let block = standings.block(on: device) { throw CheckFailure(.deviceBlocked, block) }
        guard let allowance = standings.first(where: { $0.subject == device })?.allowance else { return .passed }
        return .passedWithRemark(Finding(.deviceAllowed, allowance.sentence))
    }

    static let accountEntry = CheckDefinition.account(.approovTokenAccount)

    static let addressEntry = CheckDefinition(
        .approovTokenAddress, .signal,
        proves: "The request comes from the address that Approov saw.",
        stops: """
            Nothing by itself: devices change networks within the life of a token. Many such requests together may \
            mean that tokens are stolen.
            """,
        lookAt: "Whether the server sees the address of the device or that of a proxy.",
        source: "Approov, Token Claims",
        remedy: .nothing, codes: [.addressUnknown, .addressMissing, .addressMalformed, .addressDiffers, .addressHashed])

    /// A constant saves an allocation: most requests come without an address.
    private static let unknownAddress = PolicyAnswer.notApplicable(
        Finding(.addressUnknown, "the evidence does not say where the request comes from"))

    /// Compares the request's address with the one that Approov saw. It is a signal: devices change networks within a
    /// token's life. A difference is noted in every mode, and never fails the check.
    func clientAddress() -> PolicyAnswer {
        guard let address else { return Self.unknownAddress }
        guard let seen = claims.address, !seen.isEmpty else {
            return .notApplicable(Finding(.addressMissing, "the token does not say which address Approov saw"))
        }
        let rule = expectations.addresses
        if AddressRule.isPseudonym(address) {
            guard case .hash = rule.form else {
                return .notApplicable(
                    Finding(
                        .addressHashed,
                        "the address was captured as a pseudonym, and the policy has no key to compare it"))
            }
            return address == rule.text(of: seen) ? .passed : .annotated(difference(seen, address))
        }
        // Most addresses are equal as texts.
        if address.isByteEqual(to: seen), IPAddress.isAddress(address) { return .passed }
        guard let left = IPAddress(address) else {
            return .annotated(Finding(.addressMalformed, "\(Self.shown(address, rule)) is no IPv4 or IPv6 address"))
        }
        guard let right = IPAddress(seen), left == right else { return .annotated(difference(seen, address)) }
        return .passed
    }

    private func difference(_ seen: String, _ address: String) -> Finding {
        let rule = expectations.addresses
        return Finding(
            .addressDiffers,
            "Approov saw \(Self.shown(seen, rule)), and the request comes from \(Self.shown(address, rule))")
    }

    private static func shown(_ address: String, _ rule: AddressRule) -> String {
        rule.text(of: address).map(\.excerpt) ?? "another address"
    }
}

extension CheckCode {
    fileprivate static let issuerNotAllowed = CheckCode(
        "issuer-not-allowed",
        "The policy does not list the token's issuer: add it to longLivedIssuers or issuers, or refuse it.")
    static let issuerRevoked = CheckCode(
        "issuer-revoked",
        "An operator blocked the issuer in the ledger: `assay ledger show --issuer NAME` has the reason.")
    fileprivate static let audienceMissing = CheckCode(
        "audience-missing",
        "The token names no audience, and the policy demands one: set the audience up for the API at Approov.")
    fileprivate static let audienceDiffers = CheckCode(
        "audience-differs", "The token is for another API of the account, or `audiences` in the policy lacks this one.")
    fileprivate static let failoverToken = CheckCode(
        "failover",
        """
        The token is of Approov's failover service: see `failover` in the policy, and whether the primary service is \
        down.
        """)
    fileprivate static let tampered = CheckCode(
        "tampered", "The token names a property that shows tampering with the app, its checks or their transport.")
    /// The device has a property that `annotations` rejects.
    public static let approovAnnotationsRejected = CheckCode(
        "annotations-rejected", "The token names a property of the device that `annotations` in the policy rejects.")
    fileprivate static let annotationsNoted = CheckCode(
        "annotations-noted", "The token names a property of the device that `annotations` in the policy annotates.")
    fileprivate static let noDevice = CheckCode(
        "no-device", "The token names no device, as tokens of servers and of the failover service: no action.")
    static let deviceBlocked = CheckCode(
        "device-blocked",
        "An operator blocked the device in the ledger: `assay ledger show --device DID` has the reason.")
    fileprivate static let deviceAllowed = CheckCode(
        "device-allowed", "An operator allowed the device in the ledger: no action.")
    fileprivate static let addressUnknown = CheckCode(
        "address-unknown", "The caller gave no `address`, so that nothing is compared: give the client's address.")
    fileprivate static let addressMissing = CheckCode(
        "address-missing", "The token does not state which address Approov saw: no action.")
    fileprivate static let addressMalformed = CheckCode(
        "address-malformed", "The caller's `address` is no IPv4 or IPv6 address: give it without port.")
    fileprivate static let addressHashed = CheckCode(
        "address-hashed",
        "The capture has a pseudonym in place of the address: judge it under a policy with the same key in `addresses`."
    )
    fileprivate static let addressDiffers = CheckCode(
        "address-differs",
        "The request comes from another address than Approov saw: the device changed networks, or the token is stolen.")
}
