public import AssayCore

/// The checks of an App Attest receipt that Apple's server handed out, in the order in which they run.
///
/// The steps are those of Apple, "Assessing fraud risk", section "Verify the receipt". The receipt inside an attestation
/// is held against the same rules, but for age, by the one check ``AttestationCheck/receipt``.
public enum ReceiptCheck {
    /// The kind of evidence.
    public static let kind = EvidenceKind("app-attest.receipt")

    /// The receipt is a CMS message with a payload in the allowed form.
    public static let decode = CheckID("app-attest.receipt.decode")
    /// The signer signed the payload.
    public static let signature = CheckID("app-attest.receipt.signature")
    /// The signer is Apple's receipt service.
    public static let chain = CheckID("app-attest.receipt.chain")
    /// The receipt is for one of the policy's App IDs.
    public static let appID = CheckID("app-attest.receipt.app-id")
    /// The receipt is about the key.
    public static let publicKey = CheckID("app-attest.receipt.public-key")
    /// The receipt is of an environment that the policy allows.
    public static let environment = CheckID("app-attest.receipt.environment")
    /// The receipt is fresh, and has not expired.
    public static let freshness = CheckID("app-attest.receipt.freshness")
    /// The device has not attested too many keys.
    public static let riskMetric = CheckID("app-attest.receipt.risk-metric")

    private static let apple = "Apple, Assessing fraud risk, Verify the receipt"

    /// What each check is for.
    public static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            decode, .gate,
            proves: "The receipt is a CMS message with one signer, and a payload whose fields have their types.",
            stops: "Payloads that two parsers read differently: duplicated fields, values of another type.",
            lookAt: "The byte that the detail names; Apple's server answers with base64 of the receipt.",
            source: apple),
        CheckDefinition(
            signature, .gate,
            proves: "The signer signed exactly this payload.",
            stops: "Invented and altered receipts.",
            lookAt: "Receipts of August and September 2020 carry signed attributes that they do not sign; they never "
                + "verify.",
            source: "\(apple); RFC 5652 section 5.4"),
        CheckDefinition(
            chain, .gate,
            proves: "The signer's certificate leads to Apple Root CA - G3, was valid when the receipt was made, and is "
                + "marked for receipts (1.2.840.113635.100.12.15).",
            stops: "Receipts signed with another certificate, even one of Apple's.",
            lookAt: "The issuer that the detail names.",
            source: apple),
        CheckDefinition(
            appID, .gate,
            proves: "Field 2 is one of the policy's App IDs, and that of the enrolled key.",
            stops: "Receipts of another app.",
            lookAt: "appIDs in the policy.",
            source: apple),
        CheckDefinition(
            publicKey, .gate,
            proves: "Field 3 certifies the key that the key identifier names.",
            stops: "The receipt, and so the risk metric, of another device.",
            lookAt: "Whether receipt and keyId belong together.",
            source: apple),
        CheckDefinition(
            environment, .policy(default: .enforce),
            proves: "Field 7 is an environment that the policy allows.",
            stops: "Receipts of development builds.",
            lookAt: "environments in the policy.",
            source: "Receipt field 7, as issued since 2020"),
        CheckDefinition(
            freshness, .policy(default: .enforce),
            proves: "The receipt was made at most so long before the time of judgement as the policy says, and has not "
                + "expired.",
            stops: "An old receipt with a risk metric from better days.",
            lookAt: "receipt.maximumAge in the policy, five minutes without it, and the time of judgement.",
            source: apple),
        CheckDefinition(
            riskMetric, .policy(default: .enforce),
            proves: "The number of keys that the device attested in the last 30 days is at most the policy's.",
            stops: "One device that attests for many.",
            lookAt: "receipt.maximumRiskMetric in the policy; the metric comes only with refreshed receipts.",
            source: "Apple, Assessing fraud risk, Interpret the metric"),
    ]
}
