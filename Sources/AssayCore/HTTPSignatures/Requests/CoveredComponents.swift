import AssayPrimitives

/// The components that a request's signature covers (RFC 9421 sections 2 and 7.2.1).
package struct CoveredComponents: Sendable {
    /// The codes of ``standardBase()`` and ``requireCoverage()``.
    package static let codes: [CheckCode] =
        CheckCode.ofSignatureBase + [
            .nothingCovered, .notCovered, .bodyNotCovered, .uriWithFragment, .componentParameter,
        ]
    /// The name of the field with digests of the body.
    package static let contentDigest = "content-digest"

    package let input: SignatureInput
    package let message: HTTPMessageParts
    /// Whether the request has a body.
    package let hasBody: Bool
    /// The components that the policy demands, besides the digest of a body.
    package let demanded: [String]
    /// Whether a target URI may have a fragment.
    package let allowsFragment: Bool

    package init(
        _ input: SignatureInput, of message: HTTPMessageParts, hasBody: Bool, demanded: [String],
        allowsFragment: Bool = false
    ) {
        (self.input, self.message, self.hasBody) = (input, message, hasBody)
        (self.demanded, self.allowsFragment) = (demanded, allowsFragment)
    }

    /// True if the signature covers the whole component, not a part or another form of it.
    package func covers(_ name: String) -> Bool {
        input.components.contains { $0.parameters.isEmpty && $0.name.isByteEqual(to: name) }
    }

    /// Demands coverage of the policy's components, and of the digest if there is a body (RFC 9421 section 7.2.1).
    package func requireCoverage() throws(CheckFailure) {
        guard !input.components.isEmpty else {
            throw CheckFailure(.nothingCovered, "the signature covers nothing, so that it fits every message")
        }
        let missing = demanded.filter { !covers($0) }
        guard missing.isEmpty else {
            throw CheckFailure(
                .notCovered, "the signature does not cover \(missing.map(\.excerpt).joined(separator: ", "))")
        }
        guard hasBody, !covers(Self.contentDigest) else { return }
        throw CheckFailure(
            .bodyNotCovered,
            "the request has a body, and the signature covers no Content-Digest"
                + (message.combinedValue(of: Self.contentDigest) == nil ? "; the field is missing" : ""))
    }

    /// The signature base of the standard.
    package func standardBase() throws(CheckFailure) -> [UInt8] {
        for component in input.components { try refuseParameters(of: component) }
        // Applies to all covered components: components derived from the URI omit the fragment, but a server may use
        // it.
        if message.targetURI.utf8.contains(UInt8(ascii: "#")), !allowsFragment {
            throw CheckFailure(.uriWithFragment, "the target URI has a fragment, which servers never see")
        }
        return try base(of: message)
    }

    /// The signature base of `message`: the request, possibly with a deviation of its client.
    package func base(
        of message: HTTPMessageParts, _ rules: SignatureBaseRules = SignatureBaseRules()
    ) throws(CheckFailure) -> [UInt8] {
        do throws(SignatureBaseError) {
            return try SignatureBase.build(for: input, of: message, rules: rules)
        } catch {
            throw CheckFailure(error)
        }
    }

    /// Rejects component parameters. With `bs`, `req` and `tr` an identifier can cover data that the server does not
    /// use; with `sf` and `key` it covers less than the server uses. A query parameter needs its `name`.
    private func refuseParameters(of component: SignatureComponent) throws(CheckFailure) {
        for parameter in component.parameters {
            if parameter.key.isByteEqual(to: "name"), component.name.isByteEqual(to: "@query-param") { continue }
            throw CheckFailure(
                .componentParameter,
                "\(component.text) has the parameter \(parameter.key.excerpt), which is not taken: components are signed "
                    + "as they are")
        }
    }
}

extension CheckCode {
    fileprivate static let nothingCovered = CheckCode(
        "nothing-covered", "The signature covers nothing and so fits every message.")
    fileprivate static let notCovered = CheckCode(
        "not-covered",
        "The signature does not cover a component that `components` demands: compare the policy with the app's set-up.")
    fileprivate static let bodyNotCovered = CheckCode(
        "body-not-covered",
        "The request has a body and the signature does not cover its digest, so that a third party could change the body."
    )
    fileprivate static let uriWithFragment = CheckCode(
        "uri-with-fragment",
        "The target URI has a fragment, which no server sees: a defect of the client (Approov: see the quirk "
            + "`target-uri-with-fragment`).")
    fileprivate static let componentParameter = CheckCode(
        "component-parameter",
        "A covered component has a parameter that lets it stand for something else than the server acts upon.")
}
