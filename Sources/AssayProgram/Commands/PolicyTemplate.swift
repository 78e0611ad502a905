/// The text of a new policy.
struct PolicyTemplate {
    let sections: PolicyInitOptions

    /// The policy, with comments.
    var text: String {
        var text = """
            # What Assay demands of the evidence of these apps. Every field: PolicyReference in the documentation.
            # `assay policy check` reports errors and weak settings, `assay policy show` prints all defaults.
            version: 1

            """
        if sections.isForTests { text += "# It trusts test authorities: for tests only, never in production.\n" }
        if let secret = sections.approovSecret {
            text += """
                keys:
                  # The secret itself is never in this file. To rotate it, add the new key and set notAfter of the old one.
                  - name: approov-1
                    use: approov
                    secret: \(quoted(secret))

                """
        }
        text += "apps:\n"
        if !sections.appID.isEmpty { text += appAttest + tokens }
        if let name = sections.packageName { text += playIntegrity(name) + tokens }
        if !sections.androidKeyPackage.isEmpty { text += androidKey + tokens }
        if sections.hasApproov { text += approov }
        return text + """
            # The mode of policy checks: enforce, annotate or off. `assay explain` lists the checks and their defaults.
            # A new check is best annotated first, and enforced when replays show whom it would reject.
            # checks:
            #   app-attest.attestation.receipt: enforce

            """
    }

    /// The name of an app: its kind of evidence, or the given name, with the kind if there are several.
    private func name(_ kind: String) -> String {
        guard let name = sections.name else { return kind }
        let kinds = [
            !sections.appID.isEmpty, sections.packageName != nil, !sections.androidKeyPackage.isEmpty,
            sections.hasApproov,
        ]
        return quoted(kinds.count(where: { $0 }) == 1 ? name : "\(name)-\(kind)")
    }

    private var tokens: String {
        guard let issuer = sections.tokenIssuer else { return "" }
        return """
                # Tokens for accepted evidence, which services check offline, bound to a key of the client.
                tokens:
                  issuer: \(quoted(issuer))
                  audiences: \(list(sections.tokenAudience))
                  key: required

            """ + (sections.isForTests ? "      testAuthorities: allow\n" : "")
    }

    /// The roots that replace those of a platform.
    private var testRoots: String {
        guard !sections.testRoots.isEmpty else { return "" }
        return "      testRoots: \(list(sections.testRoots.map { "file:\($0)" }))\n"
    }

    private var appAttest: String {
        """
          - name: \(name("ios"))
            appAttest:
              appIDs: \(list(sections.appID))
              # production: TestFlight, App Store, enterprise. development, for builds from Xcode, belongs in another policy.
              environments: [production]
              # The ledger issues each challenge and accepts it once.
              challenge: ledger
              # Where the client data of assertions has the challenge.
              clientData: { challengeAt: /challenge }
              # The key signs the requests of the app, which the network may deliver in another order.
              requests: {}
              counter: window(64)
              # How the app may have been installed. Systems before iOS 27 do not report it.
              validationCategories: [appStore, testFlight]
              # Decide on the oldest system and build to accept, and raise them when vulnerabilities become known.
              # minimumOSVersion: "17.0"
              # minimumBundleVersion: "1.0"

        """ + testRoots
    }

    private func playIntegrity(_ name: String) -> String {
        """
          - name: \(self.name("android"))
            playIntegrity:
              packageName: \(quoted(name))
              # The app signing key of the Play Console, not the upload key.
              certificateDigests: \(list(sections.certificateDigest))
              # The ledger issues each nonce and accepts it once.
              challenge: ledger
              freshness: { past: 5m, future: 1m }
              # Google tells the version of Android, and gives devices MEETS_STRONG_INTEGRITY, only after both are turned on in
              # the Play Console: App integrity, Play Integrity API, Settings, Responses. Until then, MEETS_DEVICE_INTEGRITY
              # suffices, and verdicts note sdk-version-unknown. Then demand:
              # deviceRecognition:
              #   - { minimumSDK: 33, require: MEETS_STRONG_INTEGRITY }
              #   - { minimumSDK: 28, require: MEETS_DEVICE_INTEGRITY }
              # Signals that are only noted until a rule is stated here; each is turned on there, too.
              # playProtect: [NO_ISSUES, NO_DATA]
              # appAccessRisk: { reject: [UNKNOWN_CAPTURING, UNKNOWN_OVERLAYS, UNKNOWN_CONTROLLING] }
              # Decide on the oldest build to accept, and raise it when vulnerabilities become known.
              # minimumVersionCode: 1

        """ + (sections.testResponses ? "      testResponses: allow\n" : "")
    }

    private var androidKey: String {
        """
          - name: \(name("android-key"))
            androidKey:
              packages: \(list(sections.androidKeyPackage))
              # The app signing key of the Play Console, not the upload key.
              certificateDigests: \(list(sections.certificateDigest))
              # Google's list of revoked certificates, which `assay serve` fetches. For a file: file:status.json
              statusList: service
              # The ledger issues each challenge and accepts it once.
              challenge: ledger
              # Android 10, and a patch level of the last twelve months. strict and lenient are the others, grapheneos one for
              # that system.
              preset: standard
              # The key signs the requests of the app; a new attestation every so often brings the patch level up to date.
              requests: {}
              maximumAttestationAge: 90d
              # Decide on the oldest build to accept, and raise it when vulnerabilities become known.
              # minimumVersionCode: 1

        """ + testRoots
    }

    private var approov: String {
        let keys =
            sections.approovSecret == nil
            ? "# keys: [approov-1]   # without it, the keys of the key store that are for `api`" : "keys: [approov-1]"
        let binding =
            sections.approovBinding.isEmpty
            ? "# Bind tokens to a request field, so that a stolen token is useless with another login.\n      # binding: [Authorization]"
            : "# Tokens are bound to these request fields, in this order.\n      binding: \(list(sections.approovBinding))"
        return """
              - name: \(name("api"))
                approov:
                  \(keys)
                  \(binding)
                  # Tokens of the failover service name no device and are bound to nothing.
                  failover: reject
                  # App tokens live for minutes; example tokens live for an hour.
                  maximumLifetime: 15m
                  annotations:
                    reject: [rooted, jailbroken, frida, cycript, xposed-unsafe, emulator, ios-simulator]
                    others: note

            """
    }

    private func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ", "))]" }

    /// A text in double quotes. The YAML escapes keep it within them.
    private func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
