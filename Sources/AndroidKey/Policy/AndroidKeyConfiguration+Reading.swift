package import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

extension AndroidKeyConfiguration: ReadableConfiguration {
    /// Ten years, in seconds.
    private static let longestAge: Double = 10 * 366 * 86_400

    /// Reads the field `androidKey` of an app in a policy file.
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        let fields = try node.members(of: Self.fields)
        guard let packages = fields["packages"] else {
            throw node.missing("packages", "a list of package names, such as com.example.shop")
        }
        guard let digests = fields["certificateDigests"] else {
            throw node.missing(
                "certificateDigests", "a list of the SHA-256 digests of the app's signing certificates")
        }
        guard let statusList = fields[AttestationStatusRule.policyField] else {
            throw node.missing(
                AttestationStatusRule.policyField,
                "service, file:PATH or none: a policy says in words where it knows revoked keys from")
        }
        let preset = try fields["preset"]?.word(AndroidKeyPreset.self)
        var roots: [Certificate] = []
        for element in try fields["testRoots"]?.elements() ?? [] {
            roots += try Self.certificates(in: element, files: files)
        }
        do {
            try self.init(
                packages: Self.packages(packages), certificateDigests: Self.digests(digests),
                versions: VersionRules(
                    reading: fields["versions"], minimum: fields["minimumVersionCode"]
                ) { (node) throws(PolicyError) in try node.count() },
                challenge: fields["challenge"]?.word(ChallengeSource.self) ?? .ledger,
                statusList: AttestationStatusRule(reading: statusList, files: files), preset: preset,
                rules: Self.rules(fields, preset?.rules ?? Rules()),
                reattestation: fields["reattestation"]?.word(Reattestation.self),
                account: fields["account"]?.word(AccountBinding.self) ?? .match,
                maximumKeys: Self.keyLimit(fields["maximumKeys"], fields["keysExceeded"]),
                requests: fields[RequestRules.policyField].map(RequestRules.init), testRoots: roots)
        } catch {
            throw error.placed(in: node)
        }
    }

    /// The rules of a preset with what the section says instead.
    private static func rules(_ fields: [String: PolicyNode], _ preset: Rules) throws(PolicyError) -> Rules {
        var rules = preset
        if let field = fields["securityLevel"] { rules.securityLevel = try field.word(Hardware.self) }
        if let field = fields["keyAlgorithms"] { rules.keyAlgorithms = try field.words(KeyAlgorithm.self) }
        if let field = fields["bootStates"] {
            rules.bootStates = try field.words(BootState.self)
            // Without selfSigned, the preset's keys would be an error in a field that the policy does not contain.
            if !rules.bootStates.contains(.selfSigned) { rules.verifiedBootKeys = [] }
        }
        if let field = fields["verifiedBootKeys"] { rules.verifiedBootKeys = try digests(field) }
        if let field = fields["minimumOSVersion"] {
            guard let version = try AndroidVersion(field.text()) else {
                throw field.error("expected a version of Android, such as \"12\" or \"8.1\", found \(field.found)")
            }
            rules.minimumOSVersion = version
        }
        if let field = fields["patchLevel"] { rules.patchLevel = try patchLevel(field) }
        if let field = fields["purposes"] { rules.purposes = try field.words(KeyPurpose.self) }
        if let field = fields["minimumAttestationVersion"] { rules.minimumAttestationVersion = try field.count() }
        if let field = fields["provisioning"] { rules.provisioning = try field.word(Provisioning.self) }
        if let field = fields["maximumCertificatesIssued"] { rules.maximumCertificatesIssued = try field.count() }
        if let field = fields["userAuthentication"] { rules.userAuthentication = try field.word(Demand.self) }
        if let field = fields["rollbackResistance"] { rules.rollbackResistance = try field.word(Demand.self) }
        if let field = fields["creationTime"] { rules.creationTime = try creationTime(field) }
        if let field = fields["deviceIdentity"] { rules.deviceIdentity = try field.word(DeviceIdentity.self) }
        if let field = fields["maximumAttestationAge"] { rules.maximumAttestationAge = try age(field) }
        return rules
    }

    private static func patchLevel(_ node: PolicyNode) throws(PolicyError) -> PatchLevelRules {
        let fields = try node.members(of: Self.fields, in: "patchLevel")
        guard let maximum = fields["maximumAge"] else {
            throw node.missing("maximumAge", "a length of time, such as 365d")
        }
        return PatchLevelRules(
            maximumAge: try age(maximum),
            maximumAhead: try fields["maximumAhead"].map(age) ?? PatchLevelRules.standardAhead,
            levels: try fields["levels"]?.words(PatchLevelName.self) ?? [.os])
    }

    private static func creationTime(_ node: PolicyNode) throws(PolicyError) -> CreationTimeRules {
        let fields = try node.members(of: Self.fields, in: "creationTime")
        let standard = CreationTimeRules()
        return CreationTimeRules(
            past: try fields["past"].map(age) ?? standard.past, future: try fields["future"].map(age) ?? standard.future
        )
    }

    private static func age(_ node: PolicyNode) throws(PolicyError) -> Double {
        let seconds = try node.duration()
        guard seconds <= longestAge else { throw node.error("expected at most ten years, found \(node.found)") }
        return seconds
    }

    private static func packages(_ node: PolicyNode) throws(PolicyError) -> [String] {
        var names: [String] = []
        for element in try node.elements() {
            let name = try element.text()
            if let objection = PackageName.objection(to: name) { throw element.error(objection) }
            guard !names.containsBytes(of: name) else { throw element.error("\(name) stands in the list twice") }
            names.append(name)
        }
        return names
    }

    private static func digests(_ node: PolicyNode) throws(PolicyError) -> [[UInt8]] {
        var digests: [[UInt8]] = []
        for element in try node.elements() {
            let digest: [UInt8]
            let text = try element.text()
            do { digest = try CertificateDigestText.decode(text) } catch { throw element.error(error.message) }
            guard !digests.contains(digest) else { throw element.error("the digest stands in the list twice") }
            digests.append(digest)
        }
        return digests
    }

    private static func keyLimit(
        _ maximum: PolicyNode?, _ excess: PolicyNode?
    ) throws(PolicyError) -> AccountKeyLimit? {
        guard let maximum else {
            if let excess { throw excess.error("keysExceeded is for a policy with maximumKeys, which is missing") }
            return nil
        }
        guard let number = try Int(maximum.text()), (1...1000).contains(number) else {
            throw maximum.error("expected a whole number from 1 to 1000, found \(maximum.found)")
        }
        return AccountKeyLimit(maximum: number, excess: try excess?.word(AccountKeyLimit.Excess.self) ?? .note)
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

extension PolicyNode {
    /// A list of words, none of them twice.
    fileprivate func words<Word: CaseIterable & RawRepresentable<String> & Equatable>(
        _ type: Word.Type
    ) throws(PolicyError) -> [Word] {
        var words: [Word] = []
        for element in try elements() {
            let word = try element.word(type)
            guard !words.contains(word) else { throw element.error("\(word.rawValue) stands in the list twice") }
            words.append(word)
        }
        return words
    }

    /// A whole number from 0 on.
    fileprivate func count() throws(PolicyError) -> Int64 {
        let text = try text()
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
            throw error("expected a whole number from 0 to \(Int64.max), found \(found)")
        }
        return number
    }
}
