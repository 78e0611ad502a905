package import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

extension ApproovCheck {
    /// The signature covers the components that the policy demands, and nothing ambiguous.
    package static let components = CheckID("approov.message.components")

    static let componentsEntry = CheckDefinition(
        components, .gate,
        proves: """
            The signature covers what the policy demands, the body's digest where there is a body, each once, and no \
            component that the standard allows to mean several things.
            """,
        stops: "A valid signature over nothing, or over less than the server acts upon.",
        lookAt: "`components` in the policy; the components that the app is set up to sign.",
        source: "RFC 9421 section 7.2.1",
        remedy: .nothing,
        codes: CheckCode.ofSignatureBase + [
            .nothingCovered, .notCovered, .bodyNotCovered, .uriWithFragment, .componentParameter,
        ])
}

/// The components that a message's signature covers, and the resulting signature bases.
struct MessageComponents {
    let input: SignatureInput
    let message: HTTPMessageParts
    let hasBody: Bool
    let signing: MessageSigning

    static let contentDigest = "content-digest"

    /// True if the signature covers the whole component, not a part or another form of it.
    func covers(_ name: String) -> Bool {
        input.components.contains { $0.parameters.isEmpty && $0.name.isByteEqual(to: name) }
    }

    /// Demands coverage of the policy's components, and of the digest if there is a body (RFC 9421 section 7.2.1).
    func demandCoverage() throws(CheckFailure) {
        guard !input.components.isEmpty else {
            throw CheckFailure(.nothingCovered, "the signature covers nothing, so that it fits every message")
        }
        let missing = signing.components.filter { !covers($0) }
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

    // MARK: Signature bases

    /// The signature base of the standard.
    func standardBase() throws(CheckFailure) -> [UInt8] {
        for component in input.components { try refuseParameters(of: component) }
        // For all covered components: those derived from the URI omit the fragment, but a server may act on it.
        if message.targetURI.utf8.contains(UInt8(ascii: "#")), !signing.quirks.contains(.targetURIWithFragment) {
            throw CheckFailure(
                .uriWithFragment,
                "the target URI has a fragment, which servers never see; see the quirk target-uri-with-fragment")
        }
        return try base(of: message, SignatureBaseRules())
    }

    /// The signature bases of allowed client deviations that differ from the standard base.
    func deviatingBases() throws(CheckFailure) -> [[UInt8]] {
        var messages = [message]
        if covers("@target-uri") {
            for (quirk, change) in Self.targetURIChanges where signing.quirks.contains(quirk) {
                for message in messages {
                    guard let uri = change(message) else { continue }
                    var other = message
                    other.targetURI = uri
                    messages.append(other)
                }
            }
        }
        var bases: [[UInt8]] = []
        for (index, message) in messages.enumerated() {
            if index > 0 { bases.append(try base(of: message, SignatureBaseRules())) }
            if signing.quirks.contains(.authorityWithoutPort), covers("@authority") {
                bases.append(try base(of: message, SignatureBaseRules(authorityWithoutPort: true)))
            }
        }
        return bases
    }

    /// What the quirks make of a target URI; nil for what they do not change.
    private static let targetURIChanges: [(MessageSigning.Quirk, @Sendable (HTTPMessageParts) -> String?)] = [
        (
            .targetURIWithFragment,
            { message in
                message.targetURI.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(message.targetURI[..<$0]) }
            }
        ),
        (
            .targetURIWithoutPath,
            { message in
                guard let uri = TargetURIText(message.targetURI), uri.hasRootPath else { return nil }
                return "\(uri.scheme)\(uri.authority)\(uri.rest.dropFirst())"
            }
        ),
        (
            .targetURIWithUpperCaseHost,
            { message in
                guard let uri = TargetURIText(message.targetURI), let host = uri.authority(inCaseOf: message.fields)
                else { return nil }
                return "\(uri.scheme)\(host)\(uri.rest)"
            }
        ),
        (
            .targetURIWithDefaultPort,
            { message in
                guard let uri = TargetURIText(message.targetURI), !uri.hasPort, let port = uri.defaultPort else {
                    return nil
                }
                return "\(uri.scheme)\(uri.authority):\(port)\(uri.rest)"
            }
        ),
    ]

    private func base(of message: HTTPMessageParts, _ rules: SignatureBaseRules) throws(CheckFailure) -> [UInt8] {
        do throws(SignatureBaseError) {
            return try SignatureBase.build(for: input, of: message, rules: rules)
        } catch {
            throw CheckFailure(error)
        }
    }

    /// Rejects component parameters, which Approov's clients do not use. With `bs`, `req` and `tr` an identifier can
    /// cover data that the server does not act on; with `sf` and `key` it covers less than the server acts on. A query
    /// parameter needs its `name`.
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
        """
        The target URI has a fragment, which no server sees: a defect of the client, see the quirk \
        target-uri-with-fragment.
        """)
    fileprivate static let componentParameter = CheckCode(
        "component-parameter",
        "A covered component has a parameter that lets it stand for something else than the server acts upon.")
}
