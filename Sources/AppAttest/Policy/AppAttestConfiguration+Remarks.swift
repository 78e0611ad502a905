package import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

extension AppAttestConfiguration {
    /// A server requests a refreshed receipt and judges it at once: Apple recommends five minutes.
    private static let longReceiptAge: Double = 3600

    /// The section with the rules of requests.
    package func missingField(for kind: EvidenceKind) -> String? {
        kind == .appAttestRequest && requests == nil ? "requests" : nil
    }

    /// The policy checks that do not run without a field.
    package var missingRules: [CheckID: String] {
        var missing: [CheckID: String] = [:]
        if minimumOSVersion == nil { missing[AttestationCheck.osVersion] = "minimumOSVersion" }
        if versions.isEmpty {
            missing[AttestationCheck.bundleVersion] = "minimumBundleVersion"
            missing[AssertionCheck.bundleVersion] = "minimumBundleVersion"
        }
        if receipt.maximumRiskMetric == nil {
            missing[ReceiptCheck.riskMetric] = "receipt.maximumRiskMetric"
            missing[AssertionCheck.riskMetric] = "receipt.maximumRiskMetric"
        }
        return missing
    }

    /// The risk metric only annotates as long as a policy limits nothing.
    package static let annotatedRules = ["receipt.maximumRiskMetric": AssertionCheck.riskMetric]

    /// Valid values of fields that are required, or that checks need.
    package static var examples: [PolicySetting] {
        [
            PolicySetting("appIDs", ["1234567890.com.example.app"]), PolicySetting("environments", ["production"]),
            PolicySetting("challenge", "ledger"), PolicySetting("clientData", "raw"),
            PolicySetting("minimumOSVersion", "16.0"), PolicySetting("minimumBundleVersion", "1"),
            PolicySetting("receipt.maximumRiskMetric", "10"),
        ]
    }

    /// The weak settings.
    package var remarks: [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        if environments.contains(.development) {
            remarks.append(
                PolicyRemark(
                    "environments",
                    "development admits builds from Xcode of every member of the team; use it for tests only"))
        }
        if challenge == .caller {
            remarks.append(
                PolicyRemark(
                    "challenge",
                    "caller: the ledger consumes no challenge, so captured evidence passes again unless the backend compares "
                        + "each challenge and accepts it once; ledger does both"))
        }
        if challenge == .caller, reattestation == .refresh {
            remarks.append(
                PolicyRemark(
                    "reattestation",
                    "refresh with challenge: caller: a captured attestation passes again unless the backend accepts each "
                        + "challenge once"))
        }
        if maximumKeys?.excess == .note {
            remarks.append(
                PolicyRemark(
                    "keysExceeded",
                    "note, which is the default: a key beyond maximumKeys is enrolled and noted; refuse and retire-oldest keep the "
                        + "limit"))
        }
        if maximumKeys != nil, account != .required {
            remarks.append(
                PolicyRemark(
                    "maximumKeys",
                    "keys without an account do not count, and account: \(account.rawValue) allows them; required counts all"
                ))
        }
        if case .none = clientData {
            remarks.append(
                PolicyRemark(
                    "clientData",
                    "none: assertions are compared with no challenge; only the counter stops one that is sent late or twice"
                ))
        }
        if minimumOSVersion == nil {
            remarks.append(
                PolicyRemark("minimumOSVersion", "not set: systems with known jailbreaks are accepted"))
        }
        if versions.minimum == nil {
            remarks.append(
                PolicyRemark(
                    "minimumBundleVersion", "not set: versions of the app with known vulnerabilities are accepted"))
        }
        if let validationCategories {
            if validationCategories.contains(.development), !environments.contains(.development) {
                remarks.append(
                    PolicyRemark(
                        "validationCategories", "development admits apps that Xcode installed; use it for tests only"))
            }
        } else {
            remarks.append(
                PolicyRemark(
                    "validationCategories",
                    "not set: apps are accepted however they were installed, such as by Xcode or enterprise distribution"
                ))
        }
        if receipt.maximumAge > Self.longReceiptAge {
            remarks.append(
                PolicyRemark(
                    "receipt.maximumAge",
                    "\(PolicyNode.text(ofSeconds: receipt.maximumAge)) is long: the risk metric is that of the receipt's time; "
                        + "Apple recommends 5m"))
        }
        remarks += requests?.remarks ?? []
        if !testRoots.isEmpty {
            remarks.append(
                PolicyRemark(
                    "testRoots",
                    "a test authority replaces Apple's roots: the holder of its key can make evidence; never use it in "
                        + "production"))
        }
        return remarks
    }

    /// The settings in force. `testRoots` is shown as written.
    package var settings: [PolicySetting] {
        let minimum: [PolicySetting] =
            if let versions = minimumOSVersion, versions.any == nil {
                ApplePlatform.allCases.map {
                    PolicySetting("minimumOSVersion.\($0.rawValue)", versions.byPlatform[$0]?.description)
                }
            } else {
                [PolicySetting("minimumOSVersion", minimumOSVersion?.any?.description)]
            }
        let binding =
            switch clientData {
            case .raw: PolicySetting("clientData", "raw")
            case .none: PolicySetting("clientData", "none")
            case .challengeAt(let pointer): PolicySetting("clientData.challengeAt", pointer.description)
            }
        return [
            PolicySetting("appIDs", appIDs), PolicySetting("environments", environments.map(\.rawValue)),
            PolicySetting("challenge", challenge.rawValue), binding, PolicySetting("counter", counter.text),
            PolicySetting("reattestation", reattestation.rawValue), PolicySetting("account", account.rawValue),
            PolicySetting("maximumKeys", maximumKeys.map { "\($0.maximum)" }),
            PolicySetting("keysExceeded", maximumKeys?.excess.rawValue),
        ] + minimum + [
            PolicySetting("minimumBundleVersion", versions.minimum?.description)
        ] + versions.settings + [
            PolicySetting("validationCategories", validationCategories?.map(\.rawValue) ?? []),
            PolicySetting("receipt.maximumAge", seconds: receipt.maximumAge),
            PolicySetting("receipt.maximumRiskMetric", receipt.maximumRiskMetric.map(String.init)),
            PolicySetting(
                "receipt.maximumRiskMetricAge", receipt.maximumRiskMetricAge.map(PolicyNode.text(ofSeconds:))),
            PolicySetting("receipt.keep", receipt.keep?.rawValue),
        ] + (requests?.settings ?? [PolicySetting(RequestRules.policyField, nil as String?)])
    }
}
