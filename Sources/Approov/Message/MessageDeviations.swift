public import AssayCore

extension CheckID {
    /// The signature covers the components that the policy demands, and nothing ambiguous.
    public static let approovMessageComponents = CheckID("approov.message.components")
    /// The signature is recent.
    public static let approovMessageFreshness = CheckID("approov.message.freshness")
    /// The body matches the digests that the signature covers.
    public static let approovMessageContentDigest = CheckID("approov.message.content-digest")
}

extension ApproovCheck {
    static let componentsEntry = CheckDefinition.components(
        .approovMessageComponents, lookAt: "`components` in the policy; the components that the app is set up to sign.")
    static let freshnessEntry = CheckDefinition.freshness(.approovMessageFreshness)
    static let contentDigestEntry = CheckDefinition.contentDigest(.approovMessageContentDigest)
}

extension CoveredComponents {
    /// The signature bases of allowed client deviations that differ from the standard base.
    func deviatingBases(_ quirks: Set<MessageSigning.Quirk>) throws(CheckFailure) -> [[UInt8]] {
        var messages = [message]
        if covers("@target-uri") {
            for (quirk, change) in Self.targetURIChanges where quirks.contains(quirk) {
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
            if index > 0 { bases.append(try base(of: message)) }
            if quirks.contains(.authorityWithoutPort), covers("@authority") {
                bases.append(try base(of: message, SignatureBaseRules(authorityWithoutPort: true)))
            }
        }
        return bases
    }

    /// For each quirk, the changed target URI; nil if the quirk does not change it.
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
}
