package import AssayCore
import AssayHTTPSignatures
package import FoundationEssentials

extension ApproovConfiguration {
    /// Valid values of fields that are required.
    package static var examples: [PolicySetting] {
        [PolicySetting("failover", "reject"), PolicySetting("messageSigning.signer", "installation")]
    }

    /// The warning for an app without a key. A section that names keys may use a key store.
    package func remarks(on policyKeys: [NamedKey], app: String, at now: Date) -> [PolicyRemark] {
        let claim = KeyClaim(app: app, names: nil, scopes: [app])
        let selection = KeySelection<ApproovKey>(policyKeys, for: claim, at: now)
        guard keys == nil, selection.live.isEmpty, selection.others.isEmpty else { return [] }
        return [
            PolicyRemark(
                "keys",
                "not set, and no key of the policy is for this app: every token is an error (no-key) unless the key store has a key "
                    + "for it; name its keys here")
        ]
    }

    /// The section with the rules of signed messages or texts.
    package func missingField(for kind: EvidenceKind) -> String? {
        switch kind {
        case .approovMessage: messageSigning == nil ? "messageSigning" : nil
        case .approovText: textSigning == nil ? "textSigning" : nil
        default: nil
        }
    }

    /// The weak settings, and annotations that Approov does not document.
    package var remarks: [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        if binding.isEmpty {
            remarks.append(
                PolicyRemark(
                    "binding",
                    "not set: a stolen token can be used with any request; bind tokens to a field such as Authorization"
                ))
        }
        if failover == .accept {
            remarks.append(
                PolicyRemark(
                    "failover",
                    "accept, which is the default without binding: tokens of the failover service name no device and are bound "
                        + "to nothing; reject refuses them"))
        }
        for word in statusWords.filter({ $0.value == .annotate }).keys.map(\.rawValue).sorted() {
            remarks.append(
                PolicyRemark(
                    "statusWords.\(word)",
                    word.isByteEqual(to: ApproovStatusWord.empty.rawValue)
                        ? "annotate: a request without any token passes, with no proof of app or device"
                        : "annotate: any client can send this word, and such a request passes without any proof of app or device"
                ))
        }
        if whenAbsent == .none {
            remarks.append(
                PolicyRemark(
                    "whenAbsent",
                    "none: a token that is bound to nothing passes with any request that leaves the bound fields away"))
        }
        switch annotations.preset {
        case .allowRootAndJailbroken, .whitelist:
            remarks.append(
                PolicyRemark(
                    "annotations.preset",
                    "\(annotations.preset?.rawValue ?? ""): lets rooted and jailbroken devices and emulators pass"))
        case .blacklist:
            remarks.append(PolicyRemark("annotations.preset", "blacklist: rejects every token"))
        case .standard, .allowXposed, .allowRoot, nil: break
        }
        if maximumLifetime == nil {
            remarks.append(
                PolicyRemark(
                    "maximumLifetime",
                    "not set: example tokens, which live for an hour, are accepted; app tokens need 10m"))
        }
        if annotations.others == .ignore {
            remarks.append(
                PolicyRemark(
                    "annotations.others", "ignore: no verdict shows a property of the device that no list names"))
        }
        if let messageSigning {
            if messageSigning.replay == .caller {
                remarks.append(
                    PolicyRemark(
                        "messageSigning.replay",
                        "caller: a captured message passes again within its window unless the backend detects it"))
            }
            remarks += messageSigning.freshness.remarks("messageSigning.freshness")
            remarks += messageSigning.body.remarks("messageSigning.body")
        }
        remarks += textSigning?.remarks ?? []
        if statesProof { remarks += proof.remarks(format) }
        return remarks + enforcement.remarks("enforcement") + unknownAnnotations
    }

    private var unknownAnnotations: [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        let known = AnnotationMeanings.names
        for (list, field, consequence) in [
            (annotations.reject, "reject", "devices with the property that is meant are not rejected"),
            (annotations.note, "note", "the property that is meant may not be noted"),
            (annotations.ignore, "ignore", "the property that is meant is not ignored"),
        ] {
            for (index, name) in list.enumerated() where !known.containsBytes(of: name) {
                remarks.append(
                    PolicyRemark(
                        unknown: name, in: "annotations.\(field)", at: index, known: known, consequence: consequence))
            }
        }
        return remarks
    }

    private var whenAbsentSetting: PolicySetting {
        guard !binding.isEmpty else { return PolicySetting("whenAbsent", nil as String?) }
        return switch whenAbsent {
        case .fail: PolicySetting("whenAbsent", AbsenceRule.Word.fail.rawValue)
        case .none: PolicySetting("whenAbsent", AbsenceRule.Word.none.rawValue)
        case .value(let text): PolicySetting("whenAbsent.value", text)
        }
    }

    /// The settings in force.
    package var settings: [PolicySetting] {
        [
            PolicySetting("keys", keys ?? []), PolicySetting("format", format.rawValue),
            PolicySetting("tokenHeader", tokenHeader), PolicySetting("tokenPrefix", tokenPrefix),
            PolicySetting("binding", binding),
            whenAbsentSetting,
            PolicySetting("failover", failover.rawValue),
            PolicySetting("issuers", issuers), PolicySetting("longLivedIssuers", longLivedIssuers),
            PolicySetting("audiences", audiences),
        ]
            + statusWords.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                PolicySetting("statusWords.\($0.key.rawValue)", $0.value.rawValue)
            } + [
                PolicySetting("annotations.preset", annotations.preset?.rawValue),
                PolicySetting("annotations.reject", annotations.reject),
                PolicySetting("annotations.note", annotations.note),
                PolicySetting("annotations.ignore", annotations.ignore),
                PolicySetting("annotations.others", annotations.others.rawValue),
                PolicySetting("maximumLifetime", seconds: maximumLifetime),
            ] + (messageSigning?.settings ?? [PolicySetting("messageSigning", nil as String?)])
            + (textSigning?.settings ?? [PolicySetting("textSigning", nil as String?)])
            + (statesProof ? proof.settings : [PolicySetting("proof", nil as String?)])
            + [
                PolicySetting("enforcement", enforcement.rawValue)
            ]
    }
}

extension MessageSigning {
    fileprivate var settings: [PolicySetting] {
        [
            PolicySetting("messageSigning.signer", signer.rawValue), PolicySetting("messageSigning.keys", keys ?? []),
            PolicySetting("messageSigning.components", components),
            PolicySetting("messageSigning.freshness.past", seconds: freshness.past),
            PolicySetting("messageSigning.freshness.future", seconds: freshness.future),
            PolicySetting("messageSigning.replay", replay.rawValue),
            PolicySetting("messageSigning.quirks", quirks.map(\.rawValue).sorted()),
            PolicySetting("messageSigning.body", body.rawValue),
        ]
    }
}
