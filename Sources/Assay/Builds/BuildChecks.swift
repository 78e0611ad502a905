import AndroidKey
import AppAttest
public import AssayCore
import AssayPrimitives
import PlayIntegrity

extension CheckID {
    /// The bundle version of App Attest's evidence is admitted.
    public static let buildsAppAttest = CheckID("builds.app-attest")
    /// The version code and the certificate of a Play Integrity token are admitted.
    public static let buildsPlayIntegrity = CheckID("builds.play-integrity")
    /// The package, the version and the signer of an Android key attestation are admitted.
    public static let buildsAndroidKey = CheckID("builds.android-key")
}

/// The checks of builds: their catalogue entries, and what evidence states.
enum BuildChecks {
    /// The entries, in the order of the engines.
    static let catalogue: [CheckDefinition] = [
        entry(
            .buildsAppAttest, "The App ID and the bundle version that Apple certified are those of an admitted build.",
            "Systems before iOS 27 and macOS 27 state no bundle version.",
            "Apple, Validating apps that connect to your server, authenticator data extensions"),
        entry(
            .buildsPlayIntegrity,
            "The package name, the version code and the certificate that Google saw are those of an admitted build.",
            "The payload states no version code when app recognition is UNEVALUATED.",
            "Google, Play Integrity API, integrity verdicts"),
        entry(
            .buildsAndroidKey,
            "The package name, the version code and the certificate that Android states are those of an admitted build.",
            "A build is admitted for Play Integrity and for Android keys at once. Of packages that share a user ID, each that "
                + "the policy names must be admitted.",
            "Android, Key attestation, AttestationApplicationId"),
    ]

    private static func entry(_ id: CheckID, _ proves: String, _ lookAt: String, _ source: String) -> CheckDefinition {
        CheckDefinition(
            id, .policy(default: .enforce), proves: proves,
            stops: "Builds that were never released, and those that operators have removed.",
            lookAt: "`assay builds list`; `builds` in the policy. \(lookAt)", source: source, remedy: .updateApp,
            codes: [.buildNotAdmitted, .buildEnded, .buildUnstated, .buildsUnknown])
    }

    /// The check of a kind of evidence; nil for a kind that never states a build.
    static func check(of kind: EvidenceKind) -> CheckID? {
        switch kind {
        case .appAttestAttestation, .appAttestAssertion, .appAttestRequest: .buildsAppAttest
        case .playIntegrityClassic, .playIntegrityStandard, .playIntegrityRequest: .buildsPlayIntegrity
        case .androidKeyAttestation: .buildsAndroidKey
        default: nil
        }
    }

    /// The builds that evidence states, each as platform, app and version, and the certificates of the app.
    struct Stated {
        var builds: [(platform: AppBuild.Platform, app: String, version: String)] = []
        var certificates: [[UInt8]] = []

        /// - Parameter packages: those of the app's Android keys. Others that share their user ID are other apps.
        init(_ subject: (any EngineSubject)?, packages: [String]) {
            switch subject {
            case let subject as AppAttestSubject:
                if let app = subject.appID, let version = subject.bundleVersion { builds = [(.apple, app, version)] }
            case let subject as PlayIntegritySubject:
                let app = subject.payload.appIntegrity
                guard let name = app.packageName, let version = app.versionCode else { return }
                builds = [(.android, name, "\(version)")]
                certificates = (app.certificateSha256Digest ?? []).compactMap { try? CertificateDigestText.decode($0) }
            case let subject as AndroidKeySubject:
                let ours = subject.packages.filter { packages.containsBytes(of: $0.name) }
                builds = (ours.isEmpty ? subject.packages : ours).map { (.android, $0.name, "\($0.version)") }
                certificates = subject.certificateDigests
            default: break
            }
        }
    }
}

extension CheckCode {
    static let buildNotAdmitted = CheckCode(
        "build-not-admitted",
        "No operator has admitted the build: the user updates the app, or `assay builds add` admits it.")
    static let buildEnded = CheckCode(
        "build-ended",
        "The admission of the build has ended: the user updates the app, or `assay builds add` renews it.")
    static let buildUnstated = CheckCode(
        "build-unstated", "The evidence states no build: `builds.unstated` in the policy says what becomes of it.",
        remedy: .updateSystem)
    static let buildsUnknown = CheckCode(
        "builds-unknown", "The ledger of the analysis has no register of builds, so that they are not compared.")
}
