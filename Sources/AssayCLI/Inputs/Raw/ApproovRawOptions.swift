import Approov
import ArgumentParser
import Assay

/// The options of `assay verify` for raw evidence of Approov: what a record and a policy would say.
struct ApproovRawOptions: ParsableArguments {
    @Option(
        name: .customLong("secret"),
        help: ArgumentHelp("The account's secret, \(SecretSource.allowed). Repeatable.", valueName: "source"))
    var secrets: [String] = []

    @Option(
        name: .customLong("token-public-key"),
        help: ArgumentHelp(
            "A public key that tokens are verified with, \(SecretSource.allowed). Repeatable.", valueName: "source"))
    var publicKeys: [String] = []

    @Option(
        name: .customLong("key-set"),
        help: ArgumentHelp("A JSON Web Key Set of such keys, \(SecretSource.allowed). Repeatable.", valueName: "source")
    )
    var keySets: [String] = []

    @Option(
        help: ArgumentHelp("The form that tokens of the API have, jws or jwe; jws without it.", valueName: "form"),
        completion: .list(ApproovConfiguration.TokenFormat.allCases.map(\.rawValue)),
        transform: { try ApproovRawOptions.word($0) })
    var tokenFormat: ApproovConfiguration.TokenFormat?

    @Option(
        help: ArgumentHelp(
            "The field of a message that holds the token; Approov-Token without it.", valueName: "name"))
    var tokenHeader: String?

    @Option(help: ArgumentHelp("What stands before the token in its field, such as 'Bearer '.", valueName: "text"))
    var tokenPrefix: String?

    @Option(
        name: .customLong("binding-header"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A field that tokens are bound to, in their order, with the value that the request had; file: may stand before "
                + "it. For a message the name alone. Repeatable.", valueName: "name=value"),
        transform: { try BindingArgument($0) })
    var bindingHeaders: [BindingArgument] = []

    @Option(
        help: ArgumentHelp(
            "What is made of tokens of the failover service, accept or reject. Required with --binding-header.",
            valueName: "rule"),
        completion: .list(ApproovConfiguration.FailoverRule.allCases.map(\.rawValue)),
        transform: { try ApproovRawOptions.word($0) })
    var failover: ApproovConfiguration.FailoverRule?

    @Option(help: ArgumentHelp("The address that the request came from; a signal only.", valueName: "address"))
    var address: String?

    @Option(
        name: .customLong("issuer"),
        help: ArgumentHelp("An issuer that tokens of apps and of the failover may name. Repeatable.", valueName: "name")
    )
    var issuers: [String] = []

    @Option(
        name: .customLong("long-lived-issuer"),
        help: ArgumentHelp("An issuer of long-lived tokens of servers that may come in. Repeatable.", valueName: "name")
    )
    var longLivedIssuers: [String] = []

    @Option(
        name: .customLong("audience"),
        help: ArgumentHelp("A name of which the token's audience must have one. Repeatable.", valueName: "name"))
    var audiences: [String] = []

    @Option(
        name: .customLong("reject-annotation"),
        help: ArgumentHelp("A property of the device that is rejected, such as rooted. Repeatable.", valueName: "name"))
    var rejectedAnnotations: [String] = []

    @Option(
        help: ArgumentHelp("How long a token may still live, such as 10m.", valueName: "time"),
        transform: TimeArgument.duration)
    var maximumLifetime: Double?

    @Option(
        name: .customLong("target-uri"),
        help: ArgumentHelp(
            "What the client asked for, https://HOST/PATH, when the request line of a message has only the path.",
            valueName: "uri"))
    var targetURI: String?

    @Option(
        help: ArgumentHelp("Whose key signs messages, installation or account.", valueName: "signer"),
        completion: .list(MessageSigning.Signer.allCases.map(\.rawValue)),
        transform: { try ApproovRawOptions.word($0) })
    var signer: MessageSigning.Signer?

    @Option(
        name: .customLong("component"),
        help: ArgumentHelp(
            "What a signature must cover; \(MessageSigning.standardComponents.joined(separator: " ")) without it. Repeatable.",
            valueName: "name"))
    var components: [String] = []

    @Option(
        name: .customLong("account-key"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A message signing key of the account: its mskid, = and \(SecretSource.allowed). Repeatable.",
            valueName: "id=source"))
    var accountKeys: [String] = []

    @Option(
        name: .customLong("quirk"),
        help: ArgumentHelp("A deviation of clients that is taken. Repeatable.", valueName: "name"),
        completion: .list(MessageSigning.Quirk.allCases.map(\.rawValue)),
        transform: { try ApproovRawOptions.word($0) })
    var quirks: [MessageSigning.Quirk] = []

    // Base64url may begin with a hyphen, which is no option then.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The proof, 32 bytes. Base64.", valueName: "value"),
        transform: { try ValueArgument($0, plain: .base64) })
    var proof: ValueArgument?

    @Option(
        help: ArgumentHelp(
            "Which measurement the proof must be of, integrity or device; either without it.", valueName: "name"),
        completion: .list(ApproovMeasurement.allCases.map(\.rawValue)), transform: { try ApproovRawOptions.word($0) })
    var measurement: ApproovMeasurement?

    /// The options that were given.
    var given: [RawOption] {
        let options: [(RawOption, isGiven: Bool)] = [
            (.secret, !secrets.isEmpty), (.tokenPublicKey, !publicKeys.isEmpty), (.keySet, !keySets.isEmpty),
            (.tokenFormat, tokenFormat != nil), (.tokenHeader, tokenHeader != nil), (.tokenPrefix, tokenPrefix != nil),
            (.bindingHeader, !bindingHeaders.isEmpty), (.failover, failover != nil), (.address, address != nil),
            (.issuer, !issuers.isEmpty), (.longLivedIssuer, !longLivedIssuers.isEmpty),
            (.audience, !audiences.isEmpty), (.rejectAnnotation, !rejectedAnnotations.isEmpty),
            (.maximumLifetime, maximumLifetime != nil), (.targetURI, targetURI != nil), (.signer, signer != nil),
            (.component, !components.isEmpty), (.accountKey, !accountKeys.isEmpty), (.quirk, !quirks.isEmpty),
            (.proof, proof != nil), (.measurement, measurement != nil),
        ]
        return options.filter(\.isGiven).map(\.0)
    }

    /// One of the words that a type has.
    private static func word<Word: RawRepresentable<String> & CaseIterable>(_ text: String) throws -> Word {
        guard let word = Word.allCases.first(where: { $0.rawValue.isByteEqual(to: text) }) else {
            throw ValidationError("allowed are \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }
}
