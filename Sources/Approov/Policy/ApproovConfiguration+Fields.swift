package import AssayCore
import AssayHTTPSignatures

extension ApproovConfiguration {
    /// The fields of `approov` in a policy, for its reader and `assay verify --set`.
    package static let fields =
        [
            PolicyField("keys", .list(.text), "The name of a key that tokens are verified with."),
            PolicyField("format", .words(TokenFormat.self), "The form that tokens of the API have."),
            PolicyField("tokenHeader", .text, "The field of a request that holds the token."),
            PolicyField("tokenPrefix", .text, "What stands before the token in its field, such as 'Bearer '."),
            PolicyField("binding", .list(.text), "A field that tokens are bound to, in their order."),
            PolicyField(
                "whenAbsent", .words(AbsenceRule.Word.self),
                "What becomes of a request that has none of the bound fields."),
            PolicyField(
                "whenAbsent.value", .text, "What the token of a request that has none of the bound fields is bound to."),
            PolicyField("failover", .words(FailoverRule.self), "Whether tokens of the failover service are accepted."),
            PolicyField("issuers", .list(.text), "An issuer that tokens of apps and of the failover may name."),
            PolicyField(
                "longLivedIssuers", .list(.text), "An issuer of long-lived tokens of servers that may come in."),
            PolicyField("audiences", .list(.text), "A name of which the token's audience must have one."),
            PolicyField("statusWords", .mapping, "Status words that pass in the place of a token."),
        ]
        + ApproovStatusWord.allCases.map {
            PolicyField("statusWords.\($0.rawValue)", .words(StatusWordRule.self), "What becomes of this word.")
        } + [
            PolicyField("annotations", .mapping, "How annotations of devices count."),
            PolicyField(
                "annotations.preset", .words(AnnotationRules.Preset.self), "A rejection policy of Approov to apply."),
            PolicyField(
                "annotations.reject", .list(.text), "A property of the device that is rejected, such as rooted."),
            PolicyField("annotations.note", .list(.text), "A property of the device that the verdict notes."),
            PolicyField("annotations.ignore", .list(.text), "A property of the device to ignore."),
            PolicyField("annotations.others", .words(AnnotationRules.Rule.self), "How all other annotations count."),
            PolicyField("maximumLifetime", .duration, "How long a token may still live, such as 10m."),
            PolicyField("messageSigning", .mapping, "What is demanded of signed messages."),
            PolicyField("messageSigning.signer", .words(MessageSigning.Signer.self), "Whose key signs messages."),
            PolicyField("messageSigning.keys", .list(.text), "The name of a message signing key of the account."),
            PolicyField("messageSigning.components", .list(.text), "What a signature must cover."),
            PolicyField("messageSigning.freshness", .mapping, "How far the time of a signature may be off."),
            PolicyField("messageSigning.freshness.past", .duration, "How old a signature may be."),
            PolicyField("messageSigning.freshness.future", .duration, "How far ahead of the server's clock it may be."),
            PolicyField("messageSigning.replay", .words(MessageSigning.ReplayGuard.self), "Who remembers messages."),
            PolicyField(
                "messageSigning.quirks", .list(.words(MessageSigning.Quirk.self)),
                "A known deviation of clients from the standards that is accepted."),
            PolicyField(
                "messageSigning.body", .words(RequestRules.BodyRule.self),
                "Who compares a body that a gateway does not pass on."),
        ] + TextSigning.fields + ProofRules.fields + [
            Enforcement.field("enforcement")
        ]
}
