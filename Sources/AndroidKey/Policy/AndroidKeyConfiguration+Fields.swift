package import AssayCore

extension AndroidKeyConfiguration: SectionConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        do { try self.init(values) } catch { throw error.placed(in: node) }
    }

    /// The section with the rules of requests.
    package func missingField(for kind: EvidenceKind) -> String? {
        kind == .androidKeyRequest && values.requests == nil ? "requests" : nil
    }

    /// The fields of `androidKey` in a policy and of `assay verify --set`.
    package static let table: [SectionField<Values>] = [
        .field(
            "packages", \.packages, list(of: .text(PackageName.objection(to:))), "A package name that is allowed.",
            required: "a list of package names, such as com.example.shop"
        ).example("com.example.app"),
        .field(
            "certificateDigests", \.certificateDigests, digests,
            "The SHA-256 of a signing certificate that is allowed, hexadecimal or base64.",
            required: "a list of the SHA-256 digests of the app's signing certificates"
        ).example(String(repeating: "00", count: 32)),
        .statusList(\.statusList),
        SectionField("preset", .words(AndroidKeyPreset.self), "The rules where the section has no field.") {
            [PolicySetting("preset", $0.preset?.rawValue)]
        } read: { (values, node, _) throws(PolicyError) in
            let preset = try node.word(AndroidKeyPreset.self)
            values.preset = preset
            values.rules = preset.rules
        },
        .versions(
            \.versions, minimum: "minimumVersionCode", "The lowest version code that is allowed.", .count),
        .challenge(\.challenge),
        .reattestation(\.reattestation, \.challenge),
        .field(
            "maximumAttestationAge", \.rules.maximumAttestationAge, age, "How long an attestation holds for requests."
        ).weak(
            if: { $0.requests != nil && $0.rules.maximumAttestationAge == nil },
            "not set: a device that was attested once may send requests for ever, whatever becomes of its system"),
        .accounts(\.account, \.maximumKeys),
        .field("securityLevel", \.rules.securityLevel, .word, "The weakest place of keys that is allowed."),
        .field("keyAlgorithms", \.rules.keyAlgorithms, list(of: .word), "An algorithm of keys that is allowed."),
        .field("bootStates", \.bootStates, list(of: .word), "A result of verified boot that is allowed."),
        .field(
            "verifiedBootKeys", \.rules.verifiedBootKeys, digests,
            "SHA-256 of the boot key of another system that is allowed."),
        .field("minimumOSVersion", \.rules.minimumOSVersion, version, "The lowest version of Android.").example("12")
            .needed(by: .androidKeyAttestationOSVersion).weak(
                if: { $0.rules.minimumOSVersion == nil },
                "not set: versions of Android that get no security updates are accepted"),
        .group(
            "patchLevel", \.rules.patchLevel, "How old security patch levels may be.",
            else: { _ in PatchLevelRules(maximumAge: 0) },
            unset: ["patchLevel.maximumAge", "patchLevel.maximumAhead", "patchLevel.levels"], patchLevelTable
        ).weak(
            if: { $0.rules.patchLevel == nil }, "not set: devices that were last patched years ago are accepted"),
        .field(
            "minimumAttestationVersion", \.rules.minimumAttestationVersion, .count,
            "The lowest version of attestations."
        ).example("3").needed(by: .androidKeyAttestationVersion),
        .field("purposes", \.rules.purposes, list(of: .word), "A use that a key may have.").weak(
            if: { !Set($0.rules.purposes).isSubset(of: [.sign, .verify]) },
            "a key that also decrypts, derives or attests can be made to sign what it was not meant for"),
        .field(
            "userAuthentication", \.rules.userAuthentication, .word, "Whether each use must need the user."
        ).example("required").needed(by: .androidKeyAttestationUserAuthentication) {
            $0.rules.userAuthentication == .any
        },
        .field(
            "rollbackResistance", \.rules.rollbackResistance, .word, "Whether deleting a key must be final."
        ).example("required").needed(by: .androidKeyAttestationRollbackResistance) {
            $0.rules.rollbackResistance == .any
        },
        .group(
            "creationTime", \.rules.creationTime, "When the key must have been made.",
            else: { _ in CreationTimeRules() },
            unset: ["creationTime.past", "creationTime.future"],
            [
                .field("past", \.past, age, "How long ago.").example("5m").needed(
                    by: .androidKeyAttestationCreationTime),
                .field("future", \.future, age, "How far ahead of the server's clock."),
            ]),
        .field(
            "deviceIdentity", \.rules.deviceIdentity, .word, "Whether identifiers of the device may be attested."
        ).example("forbidden").needed(by: .androidKeyAttestationDeviceIdentity) { $0.rules.deviceIdentity == .allowed },
        .field("provisioning", \.rules.provisioning, .word, "How the attestation key came into the device."),
        .field(
            "maximumCertificatesIssued", \.rules.maximumCertificatesIssued, .count,
            "How many certificates a device may have been given in 30 days."
        ).weak(
            if: { $0.rules.maximumCertificatesIssued != nil && $0.rules.provisioning != .remote },
            "chains from the factory pass without a number, as no server issued them; provisioning: remote limits all"),
        SectionField("testRoots", .list(.file), "PEM roots of a test authority in place of Google's.") { _ in
            []
        } read: { (values, node, files) throws(PolicyError) in
            for element in try node.elements() { values.testRoots += try certificates(in: element, files: files) }
        }.weak(
            if: { !$0.testRoots.isEmpty },
            "a test authority replaces Google's roots: the holder of its key can make evidence; never use it in production"
        ),
        .requests(\.requests),
    ]

    private static let patchLevelTable: [SectionField<PatchLevelRules>] = [
        .field(
            "maximumAge", \.maximumAge, age, "The greatest age, from the first of the month.",
            required: "a length of time, such as 365d"
        ).example("365d").needed(by: .androidKeyAttestationPatchLevel).weak {
            // Phones are patched at least every three months for some years.
            guard $0.maximumAge > 2 * 365 * 86_400 else { return nil }
            return "\(PolicyNode.text(ofSeconds: $0.maximumAge)) is long: exploits for such systems are public"
        },
        .field("maximumAhead", \.maximumAhead, age, "How far ahead a patch level may be."),
        .field("levels", \.levels, list(of: .word), "A patch level to judge."),
    ]

    private static let age = FieldForm<Double>.duration(0...10 * 366 * 86_400, "at most ten years")

    private static let version = FieldForm<AndroidVersion>.text(\.description) { (node) throws(PolicyError) in
        guard let version = try AndroidVersion(node.text()) else {
            throw node.error("expected a version of Android, such as \"12\" or \"8.1\", found \(node.found)")
        }
        return version
    }

    private static let digests = FieldForm<[[UInt8]]>.list(
        of: .text(\.hexadecimal) { (node) throws(PolicyError) in
            let text = try node.text()
            do throws(CertificateDigestText.Problem) { return try CertificateDigestText.decode(text) } catch {
                throw node.error(error.message)
            }
        }
    ) { _ in "the digest stands in the list twice" }

    private static func list<Element: Equatable>(of element: FieldForm<Element>) -> FieldForm<[Element]> {
        .list(of: element) { "\($0) stands in the list twice" }
    }

    private static func certificates(
        in node: PolicyNode, files: any PolicyFiles
    ) throws(PolicyError) -> [Certificate] {
        let contents = try files.contents(of: node)
        let roots: [Certificate]
        do { roots = try PEM.certificates(in: contents) } catch {
            throw node.error("expected a file of PEM certificates: \(error.detail)")
        }
        guard roots.allSatisfy({ IssuerKey($0.subjectPublicKeyInfo) != nil }) else {
            throw node.error("a root has a key that is neither P-256, P-384 nor RSA from 2048 bits on")
        }
        return roots
    }
}
