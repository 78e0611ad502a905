import AssayCore

/// A policy's rules for the device properties in a token's `anno`.
package struct AnnotationRules: Sendable, Equatable {
    /// The treatment of an annotation.
    package enum Rule: String, Sendable, CaseIterable {
        case reject
        /// Note it in the verdict.
        case note
        case ignore
    }

    /// A rejection policy of Approov by its name (Approov, Rejection Policies).
    package enum Preset: String, Sendable, CaseIterable {
        /// Rejects rooted and jailbroken devices, emulators and frameworks.
        case standard = "default"
        /// As `default`, but allows Xposed, and rooted devices that have it.
        case allowXposed = "allow-xposed"
        /// Rejects jailbroken devices, emulators, simulators, Cydia, Cycript and Frida.
        case allowRoot = "allow-root"
        /// Rejects Cydia, Cycript and Frida.
        case allowRootAndJailbroken = "allow-root-and-jailbroken"
        /// Rejects evidence of tampering only.
        case whitelist
        /// Rejects every token.
        case blacklist

        /// Whether it rejects an annotation of a token with the annotations `all`.
        func rejects(_ annotation: String, among all: [String]) -> Bool {
            switch self {
            case .whitelist: return false
            case .blacklist: return true
            case .standard, .allowXposed, .allowRoot, .allowRootAndJailbroken: break
            }
            switch annotation {
            case "app-not-registered", "devicecheck-ban", "cydia", "cycript", "frida", "frida-hook": return true
            case "jailbroken", "emulator", "ios-simulator": return self != .allowRootAndJailbroken
            case "rooted", "magisk-man-hidden":
                return self == .standard || self == .allowXposed && !all.contains("xposed")
            case "xposed": return self == .standard
            case "xposed-unsafe": return self == .standard || self == .allowXposed
            default: return false
            }
        }
    }

    /// The properties that show tampering. No policy, mode or allowance excuses them.
    package static let floor = ["tampered", "scan-fail", "bad-nonce", "bad-hmac"]

    /// The rejection policy for annotations that no list names; nil for none.
    package var preset: Preset?
    package var reject: [String]
    package var note: [String]
    package var ignore: [String]
    /// The rule for all others, such as annotations that Approov adds later.
    package var others: Rule

    /// Creates the rules. A configuration rejects an annotation in several lists.
    package init(
        preset: Preset? = nil, reject: [String] = [], note: [String] = [], ignore: [String] = [], others: Rule = .note
    ) {
        (self.preset, self.reject, self.note) = (preset, reject, note)
        (self.ignore, self.others) = (ignore, others)
    }

    /// The treatment of an annotation of a token with the annotations `all`: by the lists, then the preset, then
    /// `others`.
    func rule(for annotation: String, among all: [String]) -> Rule {
        if reject.containsBytes(of: annotation) { return .reject }
        if note.containsBytes(of: annotation) { return .note }
        if ignore.containsBytes(of: annotation) { return .ignore }
        if let preset, preset.rejects(annotation, among: all) { return .reject }
        return others
    }
}

extension AnnotationRules {
    /// The fields of `annotations` in a policy.
    static let table: [SectionField<AnnotationRules>] = [
        .field("preset", \.preset, .word, "A rejection policy of Approov to apply.").weak {
            switch $0.preset {
            case .allowRootAndJailbroken, .whitelist:
                "\($0.preset?.rawValue ?? ""): lets rooted and jailbroken devices and emulators pass"
            case .blacklist: "blacklist: rejects every token"
            case .standard, .allowXposed, .allowRoot, nil: nil
            }
        },
        list(
            "reject", \.reject, "A property of the device that is rejected, such as rooted.",
            misspelt: "devices with the property that is meant are not rejected"),
        list(
            "note", \.note, "A property of the device that the verdict notes.",
            misspelt: "the property that is meant may not be noted"),
        list(
            "ignore", \.ignore, "A property of the device to ignore.",
            misspelt: "the property that is meant is not ignored"),
        .field("others", \.others, .word, "How all other annotations count.").weak(
            if: { $0.others == .ignore }, "ignore: no verdict shows a property of the device that no list names"),
    ]

    /// A list of annotations, with remarks on those that Approov does not document.
    private static func list(
        _ name: String, _ property: SectionField<AnnotationRules>.Property<[String]>, _ help: String,
        misspelt consequence: String
    ) -> SectionField<AnnotationRules> {
        .field(name, property, .texts, help).remarks { rules in
            let known = AnnotationMeanings.names
            return rules[keyPath: property].enumerated().filter { !known.containsBytes(of: $1) }.map {
                PolicyRemark(unknown: $1, in: name, at: $0, known: known, consequence: consequence)
            }
        }
    }
}

/// The meanings of the device properties in `anno` (Approov, Annotation Results).
package enum AnnotationMeanings {
    /// The meaning of a property; nil if unknown.
    package static func meaning(of annotation: String) -> String? {
        words.first { $0.name.isByteEqual(to: annotation) }?.meaning
    }

    /// The properties that Approov documents.
    static let names = words.map(\.name)

    private static let words: [(name: String, meaning: String)] = [
        ("debug", "a debugger is attached to the app"),
        ("scan-fail", "a check of app or device failed, which is suspicious"),
        ("tampered", "a check of the app's integrity at run time failed, which is suspicious"),
        ("bad-nonce", "the nonce of the exchange with Approov may have been replayed, which is suspicious"),
        ("bad-hmac", "the exchange with Approov was changed on its way"),
        ("devices-exceeded", "the account has more devices than it may have"),
        ("device-changed", "the device ID was tampered with"),
        ("app-not-registered", "the app is not registered with the account: forged, changed, or a new build"),
        ("rooted", "the Android device is rooted"), ("jailbroken", "the iOS device is jailbroken"),
        ("root-risk", "the device may be rooted, which is not proved"),
        ("emulator", "the app runs on an Android emulator"), ("ios-simulator", "the app runs on the iOS simulator"),
        ("xposed", "the Xposed framework is in the Android app"),
        ("xposed-unsafe", "Xposed is in the Android app, with a module that takes data out of apps"),
        ("cydia", "Cydia is on the iOS device or in the app"), ("frida", "Frida is in the app"),
        ("frida-hook", "Frida has changed functions of the app"),
        ("cycript", "Cycript is in the iOS app"),
        ("magisk-man-hidden", "the root manager Magisk is on the Android device, and hides"),
        ("init-config-outdated", "the SDK began with an old configuration, and fetched the new one"),
        ("devicecheck-ban", "the iOS device is banned permanently, through DeviceCheck"),
        ("devicecheck-apple-err", "Apple did not answer Approov's question about the iOS device's DeviceCheck bits"),
        ("new-did", "Approov has not seen the device ID before"),
    ]
}
