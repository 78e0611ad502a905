public import AssayCore

extension CheckID {
    /// The statement is well-formed.
    public static let noneDecode = CheckID("none.decode")
    /// The request carries no evidence beside the statement.
    public static let noneAlone = CheckID("none.alone")
    /// The policy accepts the reason.
    public static let noneReason = CheckID("none.reason")
    /// The policy accepts the stated version of the app.
    public static let noneAppVersion = CheckID("none.app-version")
    /// The policy accepts the stated version of the system.
    public static let noneSystemVersion = CheckID("none.system-version")
    /// The account of the session is not blocked.
    public static let noneAccount = CheckID("none.account")
    /// The device gave evidence. Always fails.
    public static let noneEvidence = CheckID("none.evidence")
}

/// The checks of statements: their names, catalogue entries and rules.
struct NoEvidenceCheck {
    let subject: NoEvidenceSubject
    let configuration: NoEvidenceConfiguration

    func reason() throws(CheckFailure) -> PolicyAnswer {
        guard configuration.reasons.contains(subject.reason) else {
            throw CheckFailure(
                .reasonNotAccepted,
                "expected one of \(configuration.reasons.map(\.rawValue).joined(separator: ", ")), found "
                    + subject.reason.rawValue)
        }
        return .passed
    }

    func appVersion() throws(CheckFailure) -> PolicyAnswer {
        let rules = configuration.versions
        guard !rules.isEmpty else { return .notRequired }
        let version = try Self.version(
            subject.appVersion, "app version", missing: .appVersionMissing, malformed: .appVersionMalformed)
        if let refusal = rules.refusal(of: version) {
            throw rules.failure(refusal, of: version, "app version", .statedAppVersion)
        }
        return .passed
    }

    func systemVersion() throws(CheckFailure) -> PolicyAnswer {
        guard let maximum = configuration.maximumSystemVersion else { return .notRequired }
        let version = try Self.version(
            subject.systemVersion, "system version", missing: .systemVersionMissing,
            malformed: .systemVersionMalformed)
        guard version <= maximum else {
            throw CheckFailure(.systemVersionTooHigh, "system version \(version), at most \(maximum) is allowed")
        }
        return .passed
    }

    private static func version(
        _ text: String?, _ what: String, missing: CheckCode, malformed: CheckCode
    ) throws(CheckFailure) -> DottedVersion {
        guard let text else {
            throw CheckFailure(missing, "the policy limits the \(what), and the device states none")
        }
        guard let version = DottedVersion(text) else {
            throw CheckFailure(
                malformed, "\(what) \"\(text.excerpt)\" is no number with periods, so that it cannot be compared")
        }
        return version
    }

    func account(_ standings: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        try standings.answer(configuration.account == .required ? .required : .none, missing: .accountMissing)
    }

    /// The answer of the check that always fails: a note in the verdict, also where the modes would leave it out.
    static func evidence(_ mode: CheckMode) throws(CheckFailure) -> PolicyAnswer {
        let finding = Finding(.noEvidence, "the device gave no evidence: nothing shows what sent this")
        if mode == .enforce { throw CheckFailure(finding) }
        return .annotated(finding)
    }

    // MARK: Catalogue

    private static let source = "Assay, devices without evidence"

    static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            .noneDecode, .gate, proves: "The statement has a known reason, and texts of allowed length and characters.",
            stops: "Texts that break lines of logs and fields of answers, or that two readers understand differently.",
            lookAt: "The field Assay-Evidence, or the record's evidence, against the list of reasons.",
            source: source + "; RFC 9651", remedy: .updateApp, codes: CheckCode.ofDecoding),
        CheckDefinition(
            .noneAlone, .gate,
            proves:
                "The request has no signature, no DPoP proof and no token of Approov, which would have to be judged instead.",
            stops: "Requests whose evidence fails, and that are to pass as those of a device that has none.",
            lookAt:
                "Which client sends both; whether a gateway signs requests or adds the fields of another protocol.",
            source: source, remedy: .nothing, codes: [.evidenceBeside]),
        CheckDefinition(
            .noneReason, .policy(default: .enforce), proves: "The policy accepts devices that state this reason.",
            stops: "Honest apps on devices that the policy wants to attest. An attacker states another reason.",
            lookAt: "`noEvidence.reasons`, and `code`, which is the error of the platform.", source: source,
            remedy: .contactSupport, codes: [.reasonNotAccepted]),
        CheckDefinition(
            .noneAppVersion, .policy(default: .enforce),
            proves: "The stated version of the app is one that the policy accepts without evidence.",
            stops: "Old versions of the app, which give no evidence, after the time in which users could update.",
            lookAt: "`noEvidence.minimumAppVersion` and `versions`. The device states the version; nothing proves it.",
            source: source, remedy: .updateApp,
            codes: [.appVersionMissing, .appVersionMalformed] + VersionCodes.statedAppVersion.all),
        CheckDefinition(
            .noneSystemVersion, .policy(default: .enforce),
            proves: "The stated version of the system is so old that the device may be unable to attest.",
            stops: "Honest apps on current systems that skip their attestation. An attacker states an old version.",
            lookAt:
                "`noEvidence.maximumSystemVersion`. The device states the version; nothing proves it.",
            source: source, remedy: .newAttestation,
            codes: [.systemVersionMissing, .systemVersionMalformed, .systemVersionTooHigh]),
        .account(
            .noneAccount,
            proves: "The account that the backend names for the device is not blocked.",
            stops:
                "Accounts that were found to do harm: a block by account is the only one that reaches such a device.",
            codes: [.accountMissing]),
        CheckDefinition(
            .noneEvidence, .policy(default: .annotate), mayBeOff: false,
            proves: "Never passes: the device gave no evidence.",
            stops: "Verdicts and tokens without evidence that look like those with evidence.",
            lookAt:
                "The share of such verdicts among all of the app: `assay_verdicts_total` and the alert AssayNoEvidenceShare.",
            source: source, remedy: .contactSupport, codes: [.noEvidence]),
    ]
}

extension CheckCode {
    fileprivate static let evidenceBeside = CheckCode(
        "evidence-beside", "The request carries evidence beside the statement that there is none: send one of them.")
    fileprivate static let reasonNotAccepted = CheckCode(
        "reason-not-accepted", "`noEvidence.reasons` of the app does not list the stated reason.")
    fileprivate static let accountMissing = CheckCode(
        "account-missing",
        "The policy says `account: required`, and the backend named no account for the device: give that of the session.",
        remedy: .nothing)
    fileprivate static let appVersionMissing = CheckCode(
        "app-version-missing", "The policy limits the version of the app, and the device states none.")
    fileprivate static let appVersionMalformed = CheckCode(
        "app-version-malformed", "The stated version of the app is no number with periods that can be compared.")
    fileprivate static let systemVersionMissing = CheckCode(
        "system-version-missing", "The policy limits the version of the system, and the device states none.",
        remedy: .updateApp)
    fileprivate static let systemVersionMalformed = CheckCode(
        "system-version-malformed", "The stated version of the system is no number with periods that can be compared.",
        remedy: .updateApp)
    fileprivate static let systemVersionTooHigh = CheckCode(
        "system-version-too-high",
        "The stated version of the system is above `maximumSystemVersion`: such a device can attest.")
    fileprivate static let noEvidence = CheckCode(
        "no-evidence", "The device gave no evidence, and the policy accepts that: trust the request accordingly.")

    /// The failure of a request with evidence beside the statement.
    static func beside(_ field: String) -> CheckFailure {
        CheckFailure(.evidenceBeside, "the request has the field \(field) beside \(DeviceStatementInput.fieldName)")
    }
}

extension VersionCodes {
    fileprivate static let statedAppVersion = VersionCodes(
        tooLow: CheckCode("app-version-too-low", "The stated version of the app is below `minimumAppVersion`."),
        tooHigh: CheckCode(
            "app-version-too-high", "The stated version of the app is above `versions.maximum`.",
            remedy: .contactSupport),
        withdrawn: CheckCode("app-version-withdrawn", "`versions.withdrawn` lists the stated version of the app."))
}
