public import AssayCore

extension PlayIntegrityCheck {
    private static let tokens = "Google, Play Integrity API, Decrypt and verify the integrity verdict"
    private static let verdicts = "Google, Play Integrity API, Integrity verdicts"
    private static let replay = "Google, Play Integrity API, Standard requests, protect against replay attacks"

    /// What each check is for.
    public static let catalogue: [CheckDefinition] =
        gates + appChecks + deviceChecks + environmentChecks + [
            CheckDefinition(
                challenge, .ledger,
                proves:
                    "The nonce was issued for this app and is used for the first time; a standard token is used once "
                    + "inside its freshness window.",
                stops: "Replay of a recorded token.",
                lookAt:
                    "`challenge` in the policy, the challenge's lifetime, and whether the request was retried with the "
                    + "same token.",
                source: replay)
        ]

    private static let gates: [CheckDefinition] = [
        CheckDefinition(
            decode, .gate,
            proves: "A classic token is one compact JWE in strict form; a standard answer is JSON with a payload.",
            stops: "Input that two parsers read differently, and answers that are Google's refusal.",
            lookAt: "The byte that the detail names; whether the token was cut, wrapped or re-encoded on the way; for "
                + "google-refused the message of Google.",
            source: "RFC 7516 section 7.1; Google, decodeIntegrityToken"),
        CheckDefinition(
            decryption, .gate,
            proves:
                "The token is encrypted under a live key of the app, with A256KW and A256GCM, and is as it was made.",
            stops: "Tokens of other apps, and changes to a token.",
            lookAt:
                "`assay keys list`; whether the response keys of the Play Console are those of this app; a key that "
                + "was retired or has expired is named.",
            source: tokens),
        CheckDefinition(
            signature, .gate,
            proves: "Google signed what is in the token, with ES256 and the verification key that belongs to the "
                + "decryption key.",
            stops: "Tokens that somebody made who knows the decryption key, and tokens without a signature.",
            lookAt: "Whether verificationKey and decryptionKey come from the same download of the Play Console.",
            source: tokens),
        CheckDefinition(
            payload, .gate,
            proves: "The payload is one strict JSON object in which every known field has its type.",
            stops: "Payloads that two readers understand differently, such as duplicate keys.",
            lookAt: "The field and byte in the detail; `platform` in the policy when the other form was found.",
            source: "RFC 8259; Google, Play Integrity API v1, TokenPayloadExternal, PcTokenPayloadExternal"),
        CheckDefinition(
            requestPackage, .gate,
            proves: "The app of the policy, which is the one that the request names, asked for the token.",
            stops: "Tokens that another app of the same owner asked for.",
            lookAt: "packageName in the policy and in the request; suffixes of build variants such as .debug.",
            source: verdicts),
        CheckDefinition(
            nonce, .gate,
            proves: "The token answers the nonce of this request, compared as bytes.",
            stops: "Replay of a token that was made for another request.",
            lookAt: "Whether the server compares the nonce that it gave out; whether the app encoded it a second time.",
            source: verdicts),
        CheckDefinition(
            requestHash, .gate,
            proves: "The token was asked for with the hash of this request, compared exactly.",
            stops: "A token that is passed along with another request.",
            lookAt: "Whether app and server hash the same bytes and write the hash alike.",
            source: verdicts),
        CheckDefinition(
            freshness, .gate,
            proves: "The token is no older and no further ahead than the policy's window, both ends included.",
            stops: "Tokens that were collected earlier.",
            lookAt: "`freshness` in the policy, the server's clock, and how long the app holds on to its token.",
            source: verdicts),
        CheckDefinition(
            testingResponse, .gate,
            proves: "The answer is Google's own, and not one that the console's owner chose for a tester.",
            stops: "Answers that say whatever a tester was to get.",
            lookAt: "The list of testers of the app in the Play Console.",
            source: "Google, Play Integrity API, Test different integrity verdict responses"),
    ]

    private static let appChecks: [CheckDefinition] = [
        CheckDefinition(
            appRecognition, .policy(default: .enforce),
            proves: "App and certificate are those that Google Play distributes.",
            stops: "Modified and repackaged copies of the app.",
            lookAt:
                "appRecognition in the policy; how the app was installed. Dialog GET_LICENSED (1) leads to the store. "
                + "When no label of the device is there either, whether Google decoded the same standard token before: "
                + "it clears the verdicts then.",
            source: verdicts),
        CheckDefinition(
            appPackage, .policy(default: .enforce),
            proves: "The package name that Google saw is that of the policy.",
            stops: "Another app that asks in this one's name.",
            lookAt: "packageName in the policy. The field is missing when app recognition is UNEVALUATED.",
            source: verdicts),
        CheckDefinition(
            certificate, .policy(default: .enforce),
            proves: "Every signing certificate of the app is one of the policy's, and there is at least one.",
            stops: "Copies of the app that were signed by somebody else.",
            lookAt: "certificateDigests in the policy: the app signing key of the Play Console, not the upload key.",
            source: verdicts),
        CheckDefinition(
            versionCode, .policy(default: .enforce),
            proves: "The app's version code is at least the policy's minimum.",
            stops: "Old versions with known holes.",
            lookAt: "minimumVersionCode in the policy.",
            source: verdicts),
    ]

    private static let deviceChecks: [CheckDefinition] = [
        CheckDefinition(
            deviceRecognition, .policy(default: .enforce),
            proves: "The device meets the label that the policy demands of its version of Android, or a stronger one.",
            stops: "Rooted devices, unlocked boot loaders, emulators, and systems without security updates.",
            lookAt: "deviceRecognition in the policy. Dialogs GET_INTEGRITY (4) and GET_STRONG_INTEGRITY (5) tell the "
                + "user what to mend.",
            source: "\(verdicts), device integrity"),
        CheckDefinition(
            sdkVersion, .policy(default: .enforce),
            proves: "The device's version of Android is at least the policy's minimum.",
            stops: "Systems that get no security updates any more.",
            lookAt: "minimumSDKVersion in the policy; whether device attributes are enabled in the Play Console.",
            source: "\(verdicts), device attributes"),
        CheckDefinition(
            deviceActivity, .policy(default: .enforce),
            proves: "The device asked for no more tokens in the last hour than the policy allows.",
            stops: "Devices that serve tokens to others.",
            lookAt: "maximumDeviceActivity in the policy; whether the signal is enabled in the Play Console.",
            source: "\(verdicts), recent device activity"),
        CheckDefinition(
            deviceRecall, .policy(default: .enforce),
            proves: "None of the bits is set for which the policy rejects devices.",
            stops: "Devices that were found to be abused, also after a factory reset.",
            lookAt: "deviceRecall in the policy; who writes the bits, and whether the signal is enabled in the Play "
                + "Console.",
            source: "Google, Play Integrity API, Device recall"),
    ]

    private static let environmentChecks: [CheckDefinition] = [
        CheckDefinition(
            licensing, .policy(default: .annotate),
            proves: "The user's account got the app from Google Play.",
            stops: "Sideloaded copies of an app that is sold.",
            lookAt: "licensing in the policy. Dialog GET_LICENSED (1) leads to the store. No requirement of security.",
            source: "\(verdicts), account details"),
        CheckDefinition(
            playProtect, .policy(default: .annotate),
            proves: "Play Protect is on and found no harmful apps, as far as the policy demands it.",
            stops: "Devices with known malware.",
            lookAt: "playProtect in the policy. Users may switch Play Protect off; to enforce it shuts them out.",
            source: "\(verdicts), environment details"),
        CheckDefinition(
            appAccessRisk, .policy(default: .annotate),
            proves: "No app runs that could capture, cover or control the screen in a way that the policy rejects.",
            stops: "Overlays and remote control by unknown apps.",
            lookAt:
                "appAccessRisk in the policy. Screen readers may show up here. Dialogs CLOSE_UNKNOWN_ACCESS_RISK (2) "
                + "and CLOSE_ALL_ACCESS_RISK (3) have the user close them.",
            source: "\(verdicts), environment details"),
        CheckDefinition(
            locationSpoofing, .policy(default: .annotate),
            proves: "Google sees no other risk of a spoofed location than the policy allows.",
            stops: "Requests that pretend to come from elsewhere.",
            lookAt: "locationSpoofing in the policy; the labels in the detail.",
            source: "Google, Play Integrity API v1, EnvironmentDetails"),
        CheckDefinition(
            pcIntegrity, .policy(default: .enforce),
            proves: "The game runs in a genuine Google Play Games on PC.",
            stops: "Emulators and patched clients in its place.",
            lookAt: "`platform` in the policy; what Google Play Games says on the PC.",
            source: "Google, Play Integrity API for PC"),
    ]
}
