package import FoundationEssentials

extension CheckDefinition {
    /// The signature covers the components that the policy demands, and nothing ambiguous.
    package static func components(_ id: CheckID, lookAt: String) -> CheckDefinition {
        CheckDefinition(
            id, .gate,
            proves: """
                The signature covers what the policy demands, the body's digest where there is a body, each once, and no \
                component that the standard allows to mean several things.
                """,
            stops: "A valid signature over nothing, or over less than the server acts upon.",
            lookAt: lookAt, source: "RFC 9421 section 7.2.1", remedy: .nothing, codes: CoveredComponents.codes)
    }

    /// The signature is recent.
    package static func freshness(_ id: CheckID) -> CheckDefinition {
        CheckDefinition(
            id, .gate,
            proves: "The signature was made within the policy's window and has not expired.",
            stops: "Messages that were collected earlier.",
            lookAt: "`freshness` in the policy; the clocks of server and device.",
            source: "RFC 9421 sections 2.3 and 7.2.2", remedy: .retry, codes: SignatureFreshness.codes)
    }

    /// The body matches the digests that the signature covers.
    package static func contentDigest(_ id: CheckID) -> CheckDefinition {
        CheckDefinition(
            id, .gate,
            proves: "The body is the one whose digest the signature covers.",
            stops: "Another body under a genuine signature.",
            lookAt: "Whether a proxy changes bodies, for example by compressing them.",
            source: "RFC 9530 section 2", remedy: .retry, codes: CoveredBody.codes)
    }
}

extension CheckRun {
    /// Runs the check of components. Only a missing signature base stops the run. A signature with too little coverage
    /// is still verified: the verdict then distinguishes a misconfigured app from a forger.
    package mutating func signatureBase(_ check: CheckID, _ components: CoveredComponents) -> [UInt8]? {
        let base: [UInt8]
        do throws(CheckFailure) { base = try components.standardBase() } catch {
            return authenticity(check) { () throws(CheckFailure) -> [UInt8] in throw error }
        }
        _ = gate(check) { () throws(CheckFailure) in try components.requireCoverage() }
        return base
    }

    /// Runs the check of the body; returns the digests that the signature covers.
    ///
    /// - Parameter coverage: the check that fails if the signature does not cover the body.
    package mutating func contentDigests(
        _ check: CheckID, after coverage: CheckID, _ components: CoveredComponents, _ body: CoveredBody
    ) -> [ContentDigest.Value] {
        guard components.covers(CoveredComponents.contentDigest) else {
            add(
                components.hasBody
                    ? .skipped(check, because: .check(coverage))
                    : .skipped(check, because: .notApplicable, CoveredBody.noBody))
            return []
        }
        return gate(check) { () throws(CheckFailure) in try body.requireDigests() } ?? []
    }
}

/// The checks of a request that carries an engine's evidence. They precede the checks of the evidence itself.
///
/// The evidence is the value of an HTTP message signature, and signs the signature base. These checks do not verify
/// that signature: the checks of the evidence do.
package struct RequestChecks: Sendable {
    /// The fields have one signature with the policy's label and the engine's tag.
    package let decode: CheckID
    /// The signature covers the components that the policy demands.
    package let components: CheckID
    /// The signature is recent.
    package let freshness: CheckID
    /// The body is the signed one.
    package let contentDigest: CheckID
    package let catalogue: [CheckDefinition]

    /// The `tag` of signatures, which is the engine's name.
    private let tag: String
    /// Whether the value is a signature with an `alg`, which the engine then checks.
    private let hasAlgorithm: Bool

    /// Declares the checks of an engine, such as `app-attest`.
    ///
    /// - Parameters:
    ///   - codes: additional codes, for the engine's own requirements on a signature.
    ///   - hasAlgorithm: true if the value is a signature with an `alg`; the engine decides which are allowed. False
    ///     for a platform's evidence, which has no `alg`.
    package init(
        engine: String, decode: CheckID, components: CheckID, freshness: CheckID, contentDigest: CheckID,
        codes: [CheckCode] = [], hasAlgorithm: Bool = false
    ) {
        tag = engine
        (self.hasAlgorithm, self.decode, self.components) = (hasAlgorithm, decode, components)
        (self.freshness, self.contentDigest) = (freshness, contentDigest)
        catalogue = [
            CheckDefinition(
                decode, .gate,
                proves: """
                    `Signature-Input` and `Signature` are strict structured fields with one signature of the policy's label, \
                    whose `tag` is \(engine).
                    """,
                stops: "Signatures that two parsers read differently; evidence of another kind in this one's place.",
                lookAt: """
                    The byte in the detail; `requests.label` in the policy; whether a proxy changed or removed the fields.
                    """,
                source: "RFC 9421 section 4, RFC 9651", remedy: .nothing,
                codes: RequestSignature.codes + [.tagMissing, .tagDiffers] + (hasAlgorithm ? [] : [.algorithmGiven])
                    + codes),
            .components(
                components, lookAt: "`requests.components` in the policy; the components that the app signs."),
            .freshness(freshness), .contentDigest(contentDigest),
        ]
    }

    /// What a server must know of requests with the evidence.
    package func evidence(_ kind: EvidenceKind, _ rules: RequestRules) -> RequestEvidenceRules {
        RequestEvidenceRules(
            kind: kind, enforcement: rules.enforcement,
            scope: .signature(contentDigest: contentDigest, body: rules.body))
    }

    /// The parameters of the engine's signature in a request; nil if there is none.
    package func signatureInput(in request: SignedRequest) -> SignatureInput? {
        guard let field = request.parts.combinedValue(of: "Signature-Input"),
            let inputs = try? SignatureInputField(field[...]).inputs
        else { return nil }
        return inputs.first { $0.tag == tag }
    }

    /// Runs the checks.
    ///
    /// - Parameter read: reads the engine's part of the signature, for the check of the form.
    /// - Returns: the signature with its base; nil if there is none, and the run has failed.
    package func assess<Part>(
        _ request: SignedRequest, _ rules: RequestRules, at now: Date, _ run: inout CheckRun,
        reading read: (RequestSignature) throws(CheckFailure) -> Part
    ) -> RequestEvidence<Part>? {
        let message = request.parts
        let found = run.authenticity(decode) { () throws(CheckFailure) in
            let signature = try RequestSignature(label: rules.label, in: message)
            try requireTag(signature.input)
            return (signature: signature, part: try read(signature))
        }
        guard let (signature, part) = found else {
            run.skip([components, freshness, contentDigest])
            return nil
        }
        let covered = CoveredComponents(
            signature.input, of: message, hasBody: request.body.isPresent, demanded: rules.components)
        guard let base = run.signatureBase(components, covered) else {
            run.skip([freshness, contentDigest])
            return nil
        }
        _ = run.gate(freshness, try SignatureFreshness(of: signature.input, in: rules.freshness, at: now).require())
        let digests = run.contentDigests(
            contentDigest, after: components, covered, CoveredBody(request.body, of: message))
        return RequestEvidence(
            signature: signature, part: part, base: base, facts: MessageFacts(signature.input, digests))
    }

    private func requireTag(_ input: SignatureInput) throws(CheckFailure) {
        guard let found = input.tag else {
            throw CheckFailure(.tagMissing, "the signature has no tag; expected tag=\"\(tag)\"")
        }
        guard found.isByteEqual(to: tag) else {
            throw CheckFailure(.tagDiffers, "expected tag=\"\(tag)\", found \"\(found.excerpt)\"")
        }
        if !hasAlgorithm, let algorithm = input.algorithm {
            throw CheckFailure(
                .algorithmGiven,
                "the signature has alg=\"\(algorithm.excerpt)\"; with this tag its value is the evidence, and there is no alg"
            )
        }
    }
}

/// A request's signature. Only its form, coverage and time are judged so far.
package struct RequestEvidence<Part> {
    /// The signature; its value is the evidence.
    package let signature: RequestSignature
    /// The engine's part of the signature.
    package let part: Part
    /// The signature base: the bytes that the evidence signs.
    package let base: [UInt8]
    /// The facts about the signature.
    package let facts: MessageFacts
}

extension RequestEvidence: Sendable where Part: Sendable {}

extension CheckCode {
    fileprivate static let tagMissing = CheckCode(
        "tag-missing", "The signature has no `tag`, which names the kind of evidence in it: correct the app.")
    fileprivate static let tagDiffers = CheckCode(
        "tag-differs", "The signature carries another kind of evidence: compare the kind that the route names.")
    fileprivate static let algorithmGiven = CheckCode(
        "algorithm-not-allowed", "The signature names an algorithm, and its value is evidence of a platform.")
}
