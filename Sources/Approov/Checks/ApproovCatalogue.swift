public import AssayCore

extension ApproovCheck {
    /// What each check is for.
    public static let catalogue: [CheckDefinition] =
        tokenGates + tokenPolicies + messageDefinitions + [
            CheckDefinition(
                measurement, .gate,
                proves:
                    "The app still measures what the token carried: the proof is the HMAC of the hardware's nonce and one of "
                    + "its measurements under the key of proofs.",
                stops:
                    "Apps that were changed, or moved to another device, since they were attested; proofs for other nonces.",
                lookAt:
                    "Whether the app was updated, which changes its integrity measurement; whether nonce and measurements "
                    + "are those of this device.",
                source: "Approov, Offline Security Mode, Checking Measurement Proofs")
        ]

    private static let tokens = "Approov, Token Format"
    private static let backend = "Approov, Backend Integration"

    private static let tokenGates: [CheckDefinition] = [
        CheckDefinition(
            decode, .gate,
            proves: "The text is one token of the form that the policy names, or a loggable token, in strict form.",
            stops: "Input that two parsers read differently; status words and other texts in place of a token.",
            lookAt:
                "The byte that the detail names; `format` and `tokenPrefix` in the policy; for a status word, why the app "
                + "got no token.",
            source: "RFC 7515 section 7.1, RFC 7516 section 7.1; \(tokens)"),
        CheckDefinition(
            key, .gate,
            proves: "The header names a live key of the app, or none, and the algorithm that belongs to such a key.",
            stops: "Tokens that choose their own algorithm, such as `none` or a public key used as a secret.",
            lookAt: "`assay keys list` and `keys` in the policy: kid, algorithm, whether the key is live.",
            source: "RFC 8725 sections 3.1 and 3.2; \(tokens)"),
        CheckDefinition(
            signature, .gate,
            proves: "Somebody who has the account's key signed header and claims.",
            stops:
                "Forged and changed tokens, and the tokens that Approov gives to apps that fail attestation, which it signs "
                + "with a wrong secret.",
            lookAt: "Most often a genuine rejection: look up the ARC. When every token fails, whether the secret was "
                + "updated, or is that of another account.",
            source: "RFC 7515 section 5.2; \(backend)"),
        CheckDefinition(
            decryption, .gate,
            proves: "The token is encrypted under a live secret, with A256GCMKW and A256GCM, and is as it was made.",
            stops: "Forged and changed tokens, and the tokens that Approov gives to apps that fail attestation.",
            lookAt: "As for `approov.token.signature`; whether the domain was set up for encrypted tokens.",
            source: "RFC 7516 section 5.2, RFC 7518 sections 4.7 and 5.3; \(tokens)"),
        CheckDefinition(
            claims, .gate,
            proves: "The claims are one strict JSON object, and every known claim has its type.",
            stops: "Claims that two readers understand differently, such as duplicates.",
            lookAt: "The claim and byte in the detail.",
            source: "RFC 7519 section 7.2; Approov, Token Claims"),
        CheckDefinition(
            expiry, .gate,
            proves: "The token says when it expires, and that is still ahead.",
            stops: "Tokens that were collected earlier.",
            lookAt: "The server's clock; whether the app keeps tokens instead of fetching one for each request; "
                + "`maximumLifetime` in the policy.",
            source: "RFC 7519 section 4.1.4; Approov, Token Lifespan"),
        CheckDefinition(
            binding, .gate,
            proves:
                "The token is bound to the values that this request carries in the policy's fields, in their order.",
            stops: "A stolen token that is sent along with somebody else's session.",
            lookAt:
                "`binding` in the policy; whether app and server hash the same text, such as with `Bearer ` in front; "
                + "fields that a proxy adds or removes.",
            source: "Approov, Token Binding"),
    ]

    private static let tokenPolicies: [CheckDefinition] = [
        CheckDefinition(
            issuer, .policy(default: .enforce),
            proves: "The issuer that the token names is one of the policy's, and not revoked in the ledger.",
            stops: "Long-lived tokens that nobody has allowed, or that were lost.",
            lookAt:
                "`longLivedIssuers` in the policy, and `issuers` for what the failover service names itself; `assay ledger "
                + "show --issuer NAME`.",
            source: "Approov, Long Lived Approov Tokens"),
        CheckDefinition(
            audience, .policy(default: .enforce),
            proves: "The token is meant for an audience of the policy's.",
            stops: "Tokens that were issued for another API of the account.",
            lookAt: "`audiences` in the policy.",
            source: "RFC 7519 section 4.1.3"),
        CheckDefinition(
            failover, .policy(default: .enforce),
            proves:
                "The token names a device, as those of the primary service, or the policy accepts those of the failover.",
            stops: "Tokens without device and binding as a way around both.",
            lookAt: "`failover` in the policy; whether Approov's primary service is down.",
            source: "Approov, Failover System"),
        CheckDefinition(
            annotations, .policy(default: .enforce),
            proves: "The token tells of no property of the device that the policy rejects.",
            stops: "Devices that Approov lets pass, and the policy does not.",
            lookAt:
                "`annotations` in the policy; `assay ledger allow --device DID --reason ...` for a device of your own.",
            source: "Approov, Annotation Results"),
        CheckDefinition(
            device, .policy(default: .enforce),
            proves: "The device is not blocked in the ledger.",
            stops: "Devices that were found to do harm.",
            lookAt: "`assay ledger show --device DID`, which says since when, until when and why.",
            source: "Approov, Managing Devices"),
        CheckDefinition(
            address, .signal,
            proves: "The request comes from the address that Approov saw.",
            stops:
                "Nothing by itself: devices change networks within the life of a token. Many such requests together may "
                + "mean that tokens are stolen.",
            lookAt: "Whether the server sees the address of the device or that of a proxy.",
            source: "Approov, Token Claims"),
    ]

    private static let signatures = "RFC 9421; Approov, HTTP Message Signing"

    private static let messageDefinitions: [CheckDefinition] = [
        CheckDefinition(
            messageDecode, .gate,
            proves:
                "`Signature-Input` and `Signature` are strict structured fields with one signature of the policy's label.",
            stops: "Signatures that two parsers read differently, such as with duplicate labels or parameters.",
            lookAt:
                "The byte in the detail; `signer` in the policy; whether a proxy changed or removed the fields; old SDKs "
                + "that write the signature as a String, see `quirks`.",
            source: "RFC 9421 section 4, RFC 9651"),
        CheckDefinition(
            messageKey, .gate,
            proves: "The token names the key: `ipk` for installations, `mskid` and a live key of that ID for accounts.",
            stops: "Messages whose signature nobody vouches for.",
            lookAt: "Whether message signing is enabled for the account; `assay keys list` for `mskid`.",
            source: signatures),
        CheckDefinition(
            components, .gate,
            proves:
                "The signature covers what the policy demands, the body's digest where there is a body, each once, and "
                + "nothing that the standard lets stand for several things.",
            stops: "A valid signature over nothing, or over less than what the server acts upon.",
            lookAt: "`components` in the policy; what the app is set up to sign.",
            source: "RFC 9421 section 7.2.1"),
        CheckDefinition(
            messageSignature, .gate,
            proves: "The app signed this method, URI and token, and whatever else the signature covers.",
            stops: "Requests that were changed, or made by somebody else with the app's token.",
            lookAt: "Whether the server knows the URI that the app asked for, with the scheme and host in front of any "
                + "proxy; fields that a proxy changes.",
            source: signatures),
        CheckDefinition(
            freshness, .gate,
            proves: "The signature was made within the policy's window and has not expired.",
            stops: "Messages that were collected earlier.",
            lookAt: "`freshness` in the policy; the clocks of server and device.",
            source: "RFC 9421 sections 2.3 and 7.2.2"),
        CheckDefinition(
            contentDigest, .gate,
            proves: "The body is the one whose digest the signature covers.",
            stops: "Another body under a genuine signature.",
            lookAt: "Whether something on the way changes bodies, such as by compressing them.",
            source: "RFC 9530"),
        CheckDefinition(
            replay, .ledger,
            proves: "What was signed is accepted for the first time inside its window.",
            stops: "Replay of a recorded request; also with the other form that an ECDSA signature has.",
            lookAt: "Whether the request was sent twice; requests that are alike within one second count as one, see "
                + "`replay` in the policy.",
            source: "RFC 9421 section 7.2.2"),
    ]
}
