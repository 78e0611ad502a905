/// The codes with which a ledger refuses an effect.
extension CheckCode {
    /// The ledger did not issue the challenge, or purged it.
    public static let challengeUnknown = CheckCode(
        "challenge-unknown",
        """
        The ledger did not issue this challenge, or it expired so long ago that it was purged: issue one for each \
        attempt, and verify against the ledger that issued it.
        """)
    /// The challenge is for another app or kind of evidence.
    public static let challengeMismatch = CheckCode(
        "challenge-mismatch",
        "The challenge was issued for another app or kind of evidence: compare the app and kind given when it was issued."
    )
    /// The challenge came too late.
    public static let challengeExpired = CheckCode(
        "challenge-expired", "The challenge expired before it was presented: issue a new one, or a longer-lived one.")
    /// The challenge was used before.
    public static let challengeConsumed = CheckCode(
        "challenge-consumed",
        "The challenge was used before: a replay, or a retry of a request that had succeeded; issue a new one.")
    /// The key is enrolled already.
    public static let keyEnrolled = CheckCode(
        "key-enrolled",
        "The key is already enrolled: a replayed attestation, or a retry after a lost answer; the app attests a new key."
    )
    /// The facts of an enrolled key were updated. The check has passed.
    public static let keyRefreshed = CheckCode(
        "key-refreshed",
        "The key was enrolled before, and attested again with a new challenge: its facts are updated. The check has passed.",
        remedy: .nothing)
    /// No such key is enrolled.
    public static let keyUnknown = CheckCode(
        "key-unknown",
        "No key is enrolled under this key identifier: its attestation was not verified against this ledger, or rejected.",
        remedy: .newAttestation
    )
    /// The key belongs to another app of the policy.
    public static let keyOfAnotherApp = CheckCode(
        "key-of-another-app",
        "The key is enrolled for another app of the policy: check which app the record or the caller names.",
        remedy: .newAttestation)
    /// The account has enrolled newer keys.
    public static let keyRetired = CheckCode(
        "key-retired",
        "The key was retired when its account enrolled a newer one beyond `maximumKeys`: the app attests a new key.",
        remedy: .newAttestation)
    /// The account has too many keys.
    public static let devicesExceeded = CheckCode(
        "devices-exceeded",
        "The account has more keys than `maximumKeys` in the policy allows: `assay ledger show --account NAME` lists them.",
        remedy: .contactSupport)
    /// The oldest keys of the account were retired. The check has passed.
    public static let oldestKeysRetired = CheckCode(
        "oldest-keys-retired",
        "The account had as many keys as `maximumKeys` allows, and its oldest were retired. The check has passed.",
        remedy: .nothing)
    /// The key belongs to another account.
    public static let keyOfAnotherAccount = CheckCode(
        "key-of-another-account",
        """
        The key belongs to another account: the user changed accounts on the device, or evidence of one account was sent \
        with another's session. `assay ledger move` gives a key to another account.
        """,
        remedy: .newAttestation)
    /// The counter is not greater than the last accepted one.
    public static let counterNotIncreasing = CheckCode(
        "counter-not-increasing",
        """
        The counter is not greater than the last accepted one: a replay, a copied key, or requests that arrived out of \
        order.
        """)
    /// The counter is not one more than the last accepted one.
    public static let counterNotSuccessor = CheckCode(
        "counter-not-successor",
        "The counter is not exactly one more than the last accepted one: a replay, or an assertion that never arrived.",
        remedy: .newAttestation)
    /// The counter is too far behind the greatest accepted one.
    public static let counterBehindWindow = CheckCode(
        "counter-behind-window",
        """
        The counter is further behind the greatest accepted one than the policy's window reaches: a replay, or a request \
        that was long on its way.
        """)
    /// The counter was accepted before.
    public static let counterUsed = CheckCode(
        "counter-used",
        """
        The counter is inside the policy's window and was accepted before: a replay, or a copied key. Counters that were \
        smaller than the greatest one before the window was set are refused too.
        """)
    /// A further attestation of the key differs in App ID, environment or authority.
    public static let keyPropertyDiffers = CheckCode(
        "key-property-differs",
        "The key is enrolled, and a further attestation of it has another App ID, environment or authority: another app made it.",
        remedy: .newAttestation)
    /// The token or message was accepted before.
    public static let digestUsed = CheckCode(
        "digest-used", "The same token or message was accepted before inside its window: a replay or a retry.",
        remedy: .retry)
    /// An operator blocked the subject.
    public static let blocked = CheckCode(
        "blocked",
        "An operator blocked the subject in the ledger: the detail gives time and reason; see `assay ledger`.",
        remedy: .contactSupport)

    /// The codes of an effect that consumes a challenge.
    package static let ofChallenge = [challengeUnknown, challengeMismatch, challengeExpired, challengeConsumed]
    /// The codes of an effect that enrols a key.
    package static let ofEnrolment = [
        keyEnrolled, keyRefreshed, keyOfAnotherApp, keyPropertyDiffers, keyOfAnotherAccount, keyRetired,
        devicesExceeded,
        oldestKeysRetired, blocked,
    ]
    /// The codes of an effect that advances a counter.
    package static let ofCounter = [
        keyUnknown, keyOfAnotherApp, keyRetired, counterNotIncreasing, counterNotSuccessor, counterBehindWindow,
        counterUsed,
        blocked,
    ]
    /// The codes of an effect that remembers a digest.
    package static let ofDigest = [digestUsed]
}
