import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

struct PolicyInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a policy with comments, to start with.",
        discussion: """
            Each kind of evidence has its options; without any, the command asks on the terminal. The policy demands what \
            the platforms recommend, and has the rules that need a decision as comments.

              assay policy init --app-id 1234567890.com.example.shop --output policy.yaml
              assay policy init --package-name com.example.shop --certificate-digest HEX
              assay policy init --android-key-package com.example.shop --certificate-digest HEX
              assay policy init --approov-binding Authorization --approov-secret file:secret.b64

            An existing file is never overwritten.
            """)

    @OptionGroup var sections: PolicyInitOptions

    @Option(
        help: ArgumentHelp("The file to write. (default: standard output)", valueName: "path"),
        completion: .yaml)
    var output: String?

    func run() throws {
        var (sections, output) = (sections, output)
        if sections.isEmpty {
            guard isatty(STDIN_FILENO) == 1 else {
                throw CommandFailure(
                    .usage,
                    "say what the policy is for: --app-id for App Attest, --package-name for Play Integrity, --android-key-package "
                        + "for Android Key Attestation, --approov-binding or --approov-secret for Approov; without them the "
                        + "command asks, which needs a terminal")
            }
            sections = try PolicyQuestions.ask()
            if output == nil {
                let answer = PolicyQuestions.answer("Write it to which file? [policy.yaml]")
                output = answer.isEmpty ? "policy.yaml" : answer
            }
        }
        let text = PolicyTemplate(sections: sections).text
        do {
            _ = try PolicyFile.parse(text, path: output ?? "policy.yaml")
        } catch {
            let isKey = error.field.hasPrefix("keys[")
            throw CommandFailure(isKey ? .unreadable : .usage, "\(sections.option(for: error.field)): \(error.message)")
        }
        guard let output else { return try Console.write(Array(text.utf8)) }
        try NewFile.write(SecretBytes(Array(text.utf8)), to: output, mode: 0o644)
        Console.note("\(output) is written; `assay policy check \(output)` names what it leaves open")
    }
}

/// The apps and evidence of a new policy.
struct PolicyInitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An App ID for App Attest, such as 1234567890.com.example.shop. Repeatable.", valueName: "id"))
    var appID: [String] = []

    @Option(help: ArgumentHelp("The package name for Play Integrity, such as com.example.shop.", valueName: "name"))
    var packageName: String?

    @Option(
        help: ArgumentHelp(
            "A package name for Android Key Attestation, such as com.example.shop. Repeatable.", valueName: "name"))
    var androidKeyPackage: [String] = []

    @Option(
        help: ArgumentHelp(
            "The SHA-256 of the app signing certificate, from the Play Console: hexadecimal or base64. Repeatable.",
            valueName: "digest"))
    var certificateDigest: [String] = []

    @Option(help: ArgumentHelp("A request field that Approov tokens are bound to. Repeatable.", valueName: "field"))
    var approovBinding: [String] = []

    @Option(
        help: ArgumentHelp(
            "Approov's secret, file:PATH (relative to the policy) or env:NAME. Without it, keys come from the key store.",
            valueName: "source"))
    var approovSecret: String?

    /// Whether no option is given.
    var isEmpty: Bool { appID.isEmpty && !hasPackage && certificateDigest.isEmpty && !hasApproov }

    /// Whether there is a section for an app of Android.
    private var hasPackage: Bool { packageName != nil || !androidKeyPackage.isEmpty }

    /// Whether there is a section for Approov.
    var hasApproov: Bool { !approovBinding.isEmpty || approovSecret != nil }

    func validate() throws {
        guard hasPackage == !certificateDigest.isEmpty else {
            throw ValidationError(
                !hasPackage
                    ? "--certificate-digest needs --package-name or --android-key-package"
                    : "--\(packageName == nil ? "android-key-package" : "package-name") needs --certificate-digest: without it, a repackaged app is accepted. Play Console, "
                        + "App integrity, App signing key certificate, SHA-256")
        }
        try SecretArgument.validate(approovSecret, of: "--approov-secret")
    }

    func option(for field: String) -> String {
        for (name, option) in [
            ("appIDs", "--app-id"), ("packageName", "--package-name"), ("certificateDigests", "--certificate-digest"),
            ("packages", "--android-key-package"),
            ("binding", "--approov-binding"), ("keys[", "--approov-secret"),
        ] where field.contains(name) {
            return option
        }
        return field
    }
}

/// Asks on the terminal for the contents of a new policy.
enum PolicyQuestions {
    /// Asks for each kind of evidence. Throws ``CommandFailure`` if there is none, or if a required answer is missing.
    static func ask() throws -> PolicyInitOptions {
        var arguments = list("App Attest: App IDs, such as 1234567890.com.example.shop (none: Enter)")
            .map { "--app-id=\($0)" }
        let name = answer("Play Integrity: package name, such as com.example.shop (none: Enter)")
        if !name.isEmpty {
            arguments.append("--package-name=\(name)")
            arguments += digests()
        }
        let packages = list("Android Key Attestation: package names, such as com.example.shop (none: Enter)")
        arguments += packages.map { "--android-key-package=\($0)" }
        if name.isEmpty, !packages.isEmpty { arguments += digests() }
        arguments += list("Approov: request fields that tokens are bound to, such as Authorization (none: Enter)")
            .map { "--approov-binding=\($0)" }
        let secret = answer("Approov: secret, as file:PATH or env:NAME (from the key store or none: Enter)")
        if !secret.isEmpty { arguments.append("--approov-secret=\(secret)") }
        guard !arguments.isEmpty else { throw CommandFailure(.usage, "a policy needs at least one kind of evidence") }
        do {
            return try PolicyInitOptions.parse(arguments)
        } catch {
            throw CommandFailure(.usage, PolicyInitOptions.message(for: error))
        }
    }

    /// The answer to a question, without white space around it; empty at the end of the input.
    static func answer(_ question: String) -> String {
        Console.show("\(question): ")
        return (readLine() ?? "").trimmingCharacters(in: .whitespaces)
    }

    private static func digests() -> [String] {
        list("SHA-256 of the app's signing certificates, from the Play Console").map { "--certificate-digest=\($0)" }
    }

    private static func list(_ question: String) -> [String] {
        answer(question).split { $0 == " " || $0 == "," }.map(String.init)
    }
}

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
        if !sections.appID.isEmpty { text += appAttest }
        if let name = sections.packageName { text += playIntegrity(name) }
        if !sections.androidKeyPackage.isEmpty { text += androidKey }
        if sections.hasApproov { text += approov }
        return text + """
            # The mode of policy checks: enforce, annotate or off. `assay explain` lists the checks and their defaults.
            # A new check is best annotated first, and enforced when replays show whom it would reject.
            # checks:
            #   app-attest.attestation.receipt: enforce

            """
    }

    private var appAttest: String {
        """
          - name: ios
            appAttest:
              appIDs: \(list(sections.appID))
              # production: TestFlight, App Store, enterprise. development, for builds from Xcode, belongs in another policy.
              environments: [production]
              # The ledger issues each challenge and accepts it once.
              challenge: ledger
              # Where the client data of assertions has the challenge.
              clientData: { challengeAt: /challenge }
              # How the app may have been installed. Systems before iOS 27 do not report it.
              validationCategories: [appStore, testFlight]
              # Decide on the oldest system and build to accept, and raise them when vulnerabilities become known.
              # minimumOSVersion: "17.0"
              # minimumBundleVersion: "1.0"

        """
    }

    private func playIntegrity(_ name: String) -> String {
        """
          - name: android
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

        """
    }

    private var androidKey: String {
        """
          - name: android-key
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

        """
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
              - name: api
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
