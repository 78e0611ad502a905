public import AssayCore
package import FoundationEssentials

extension CheckID {
    /// The app signed this message.
    public static let approovMessageSignature = CheckID("approov.message.signature")
}

extension ApproovCheck {
    static let messageSignatureEntry = CheckDefinition(
        .approovMessageSignature, .gate,
        proves: "The app signed this method, URI and token, and everything else that the signature covers.",
        stops: "Requests that were changed, or made by another program with the app's token.",
        lookAt: """
            Whether the server knows the URI that the app requested, with the scheme and host in front of any proxy; \
            fields that a proxy changes.
            """,
        source: signatures,
        remedy: .retry, codes: CheckCode.ofSignatureBase + [.messageSignatureInvalid, .authenticatedWithKey])
}

/// Assesses signed messages: a pure function of its arguments.
package enum ApproovMessageAssessor {
    /// Runs the checks of a message's token, then those of its signature that need no ledger. They need the key in an authentic token,
    /// and run even if the token has expired or the policy rejects it: its key still shows who signed. Keys are those of all apps, in
    /// any state.
    package static func assess(
        _ input: ApproovMessageInput, keys: [NamedKey], messageKeys: [NamedKey],
        account: String? = nil, standings: ([LedgerSubject]) -> [LedgerStanding], expectations: ApproovExpectations,
        now: Date
    ) throws(RequestError) -> Assessment {
        let signing = try signing(of: expectations)
        let tokenKeys = expectations.tokenKeys.keys(among: keys, for: expectations.keyClaim, at: now)
        var run = CheckRun(modes: expectations.modes, capacity: capacity(expectations))
        let token = authenticate(input, tokenKeys, expectations, &run)
        let known = AccountStandings(account, of: token, standings)
        let context = Context(
            input: input, signing: signing,
            keys: KeySelection<ApproovMessageKey>(
                signing.signer == .account ? messageKeys : [], for: expectations.messageKeyClaim, at: now),
            expectations: expectations, now: now)
        return context.assess(token, known, &run)
    }

    static func capacity(_ expectations: ApproovExpectations) -> Int {
        expectations.tokenChecks.count + ApproovCheck.messageChecks.count + 1
    }

    /// The policy's section on message signing.
    static func signing(of expectations: ApproovExpectations) throws(RequestError) -> MessageSigning {
        if let signing = expectations.configuration.messageSigning { return signing }
        throw RequestError(
            .unknownApp,
            "app \(expectations.app.excerpt) has no messageSigning in the policy, which says who signs messages and what "
                + "they must cover")
    }

    /// Runs the gates of the message's token.
    static func authenticate(
        _ input: ApproovMessageInput, _ keys: ApproovTokenKeys, _ expectations: ApproovExpectations,
        _ run: inout CheckRun
    ) -> ApproovTokenAssessor.Outcome {
        ApproovTokenAssessor.authenticate(demandsPrefix: true, for: .admission, keys, expectations, &run) {
            MessageToken.find(in: input.fields, expectations.configuration)
        }
    }

    /// Decodes the message's token under an app's policy.
    static func decodeToken(
        of input: ApproovMessageInput, _ configuration: ApproovConfiguration, _ run: inout CheckRun
    ) -> ApproovTokenText.Parts? {
        ApproovTokenAssessor.decode(demandsPrefix: true, configuration, &run) {
            MessageToken.find(in: input.fields, configuration)
        }
    }

    /// The arguments of an assessment after the gates of the token.
    struct Context {
        let input: ApproovMessageInput
        let signing: MessageSigning
        let keys: KeySelection<ApproovMessageKey>
        let expectations: ApproovExpectations
        let now: Date
    }
}

extension ApproovMessageAssessor.Context {
    /// A message with a valid signature.
    private struct Signed {
        let base: [UInt8]
        let facts: MessageFacts
    }

    /// Runs the checks of the token's claims and of the signature.
    func assess(
        _ token: ApproovTokenAssessor.Outcome, _ account: AccountStandings, _ run: inout CheckRun
    ) -> Assessment {
        let binding = MessageToken.boundValues(in: input.fields, expectations.configuration)
        ApproovTokenAssessor.assess(token, binding, input.address, account, expectations, now, &run)
        if token.isExcused {
            for check in ApproovCheck.messageChecks + [CheckID.approovMessageReplay] {
                run.add(.skipped(check, because: .notApplicable))
            }
            return Assessment(
                kind: EvidenceKind.approovMessage, app: expectations.app, catalogue: ApproovCheck.catalogue,
                checks: run.results, ledgerChecks: [], effects: [], confirmations: run.confirmations, subject: nil,
                testAuthority: nil, passesWithoutProof: true)
        }
        let signed = signed(token, &run)
        if signed == nil {
            let done = run.results.count - expectations.tokenChecks.count
            run.skip(Array(ApproovCheck.messageChecks.dropFirst(done)))
        }
        var effects: [LedgerEffect] = []
        var ledgerChecks: [CheckID] = []
        switch signing.replay {
        case .caller: run.add(.leftToCaller(.approovMessageReplay))
        case .ledger:
            ledgerChecks.append(CheckID.approovMessageReplay)
            // A message without a creation time has failed the freshness check.
            if let signed, let created = signed.facts.createdSeconds {
                effects.append(
                    .rememberMessage(
                        signed.base, created: created, signing.freshness, app: expectations.app, at: now))
            }
        }
        var subject = ApproovSubject(token, expectations.addresses)
        subject?.message = signed?.facts
        return Assessment(
            kind: EvidenceKind.approovMessage, app: expectations.app, catalogue: ApproovCheck.catalogue,
            checks: run.results, ledgerChecks: ledgerChecks, effects: effects, confirmations: run.confirmations,
            subject: subject, testAuthority: nil)
    }

    /// Runs the gates of the signature and the covered components.
    private func signed(_ token: ApproovTokenAssessor.Outcome, _ run: inout CheckRun) -> Signed? {
        guard let claims = token.token?.claims else { return nil }
        let message = input.parts
        let signature = run.authenticity(.approovMessageDecode, try RequestSignature(of: message, signing))
        guard let signature else { return nil }
        let key = run.authenticity(.approovMessageKey, try MessageKey(claims, keys, signing.signer))
        guard let key else { return nil }
        let components = CoveredComponents(
            signature.input, of: message, hasBody: input.body.isPresent, demanded: signing.components,
            allowsFragment: signing.quirks.contains(.targetURIWithFragment))
        guard let standardBase = run.signatureBase(.approovMessageComponents, components),
            let base = verifiedBase(signature, key, standardBase, components, &run)
        else { return nil }
        let freshness = SignatureFreshness(of: signature.input, in: signing.freshness, at: now)
        _ = run.gate(.approovMessageFreshness, try freshness.require())
        let digests = run.contentDigests(
            CheckID.approovMessageContentDigest, after: CheckID.approovMessageComponents, components,
            CoveredBody(
                input.body, of: message,
                form: signing.quirks.contains(.digestAsString) ? .byteSequenceOrString : .byteSequence))
        return Signed(base: base, facts: MessageFacts(signature.input, digests))
    }

    /// The signature base that the signature matches: the standard base, or one with a deviation that the policy
    /// allows.
    private func verifiedBase(
        _ signature: RequestSignature, _ key: MessageKey, _ standardBase: [UInt8], _ components: CoveredComponents,
        _ run: inout CheckRun
    ) -> [UInt8]? {
        var name: String?
        let base = run.authenticity(.approovMessageSignature) { () throws(CheckFailure) in
            func isSigned(_ base: [UInt8]) -> Bool {
                let answer = key.verifies(signature.bytes, over: base)
                name = answer.name
                return answer.isValid
            }
            if isSigned(standardBase) { return standardBase }
            for base in try components.deviatingBases(signing.quirks) where base != standardBase && isSigned(base) {
                return base
            }
            let hint =
                signature.input.isCanonical ? "" : "; the client does not write Signature-Input as the standard has it"
            throw CheckFailure(
                .messageSignatureInvalid,
                "the signature is not that of the token's key over this method, this URI and the covered fields\(hint)")
        }
        if let name { run.remark(Finding(.authenticatedWithKey, "with key \(name.excerpt)")) }
        return base
    }
}

extension CheckCode {
    fileprivate static let messageSignatureInvalid = CheckCode(
        "signature-invalid",
        "The token's key did not sign this method, URI and fields: a change on the way, or a URI that a proxy rewrote.")
}
