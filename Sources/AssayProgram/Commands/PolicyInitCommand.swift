import ArgumentParser
import Assay
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
              assay policy init --android-key-package com.example.shop \\
                --certificate-digest HEX
              assay policy init --approov-binding Authorization \\
                --approov-secret file:secret.b64
              assay policy init --name shop --app-id 1234567890.com.example.shop \\
                --token-issuer https://attest.example.com \\
                --token-audience https://api.example.com

            For tests, --test-roots replaces the roots of Apple and Google by those of `assay mint`, and --test-responses accepts its \
            integrity tokens.

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
            sections = try PolicyQuestions.ask(beside: sections)
            if output == nil {
                let answer = PolicyQuestions.answer("Write it to which file? [policy.yaml]")
                output = answer.isEmpty ? "policy.yaml" : answer
            }
        }
        let text = PolicyTemplate(sections: sections).text
        let tests = sections.isForTests ? "; it trusts test authorities, and is for tests only" : ""
        do {
            _ = try PolicyFile.parse(text, path: output ?? "policy.yaml")
        } catch {
            let isFile = error.field.hasPrefix("keys[") || error.field.contains(".testRoots[")
            throw CommandFailure(
                isFile ? .unreadable : .usage, "\(sections.option(for: error.field)): \(error.message)")
        }
        guard let output else { return try Console.write(Array(text.utf8)) }
        try NewFile.write(SecretBytes(Array(text.utf8)), to: output, mode: 0o644)
        Console.note("\(output) is written; `assay policy check \(output)` names what it leaves open\(tests)")
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

    @Option(
        help: ArgumentHelp(
            "The name of the app; with several kinds of evidence, each app's name begins with it: NAME-ios, NAME-android. (default: ios, "
                + "android, android-key, api)",
            valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp("Who issues tokens for accepted evidence: the https URL of the service.", valueName: "url"))
    var tokenIssuer: String?

    @Option(
        help: ArgumentHelp(
            "For whom tokens are issued, such as https://api.example.com. Repeatable.", valueName: "name"))
    var tokenAudience: [String] = []

    @Option(
        help: ArgumentHelp(
            "The roots of a test authority, PEM, in place of those of Apple and Google for attested keys. Relative to the policy. "
                + "Repeatable.",
            valueName: "file"),
        completion: .file())
    var testRoots: [String] = []

    @Flag(help: "Accepts test responses of Play Integrity, as `assay mint play-integrity` makes them.")
    var testResponses = false

    /// Whether no kind of evidence is given.
    var isEmpty: Bool { appID.isEmpty && !hasPackage && certificateDigest.isEmpty && !hasApproov }

    /// Whether the policy accepts evidence of test authorities.
    var isForTests: Bool { !testRoots.isEmpty || testResponses }

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
        guard isEmpty || testRoots.isEmpty || !appID.isEmpty || !androidKeyPackage.isEmpty else {
            throw ValidationError(
                "--test-roots needs --app-id or --android-key-package, whose keys an authority attests")
        }
        guard isEmpty || !testResponses || packageName != nil else {
            throw ValidationError("--test-responses needs --package-name")
        }
        guard name != "" else { throw ValidationError("--name: expected a name, found an empty text") }
        guard (tokenIssuer == nil) == tokenAudience.isEmpty else {
            throw ValidationError("tokens need both --token-issuer and --token-audience")
        }
        guard isEmpty || tokenIssuer == nil || !appID.isEmpty || hasPackage else {
            throw ValidationError(
                "--token-issuer needs --app-id, --package-name or --android-key-package: Approov's tokens give no others"
            )
        }
    }

    func option(for field: String) -> String {
        for (name, option) in [
            ("appIDs", "--app-id"), ("packageName", "--package-name"), ("certificateDigests", "--certificate-digest"),
            ("packages", "--android-key-package"), ("tokens.issuer", "--token-issuer"),
            ("tokens.audiences", "--token-audience"), ("testRoots", "--test-roots"), ("].name", "--name"),
            ("binding", "--approov-binding"), ("keys[", "--approov-secret"),
        ] where field.contains(name) {
            return option
        }
        return field
    }
}

/// Asks on the terminal for the contents of a new policy.
enum PolicyQuestions {
    /// Asks for each kind of evidence, and for what is not given yet. Throws ``CommandFailure`` if there is no evidence, or if a required
    /// answer is missing.
    static func ask(beside given: PolicyInitOptions) throws -> PolicyInitOptions {
        var arguments = list("App Attest: App IDs, such as 1234567890.com.example.shop (none: Enter)")
            .map { "--app-id=\($0)" }
        let hasAppID = !arguments.isEmpty
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
        arguments += others(beside: given, hasTokens: hasAppID || !name.isEmpty || !packages.isEmpty)
        if given.testRoots.isEmpty, hasAppID || !packages.isEmpty {
            arguments += list("Test roots: PEM files of a test authority, never for production (none: Enter)")
                .map { "--test-roots=\($0)" }
        }
        do {
            return try PolicyInitOptions.parse(arguments)
        } catch {
            throw CommandFailure(.usage, PolicyInitOptions.message(for: error))
        }
    }

    /// What is given besides evidence, or else the answers: the name, and who issues tokens for whom.
    private static func others(beside given: PolicyInitOptions, hasTokens: Bool) -> [String] {
        let name = given.name ?? answer("The name of the app, such as shop (by the kind of evidence: Enter)")
        var (issuer, audiences) = (given.tokenIssuer ?? "", given.tokenAudience)
        if issuer.isEmpty, hasTokens {
            issuer = answer("Tokens: the https URL of the service that issues them (no tokens: Enter)")
            if !issuer.isEmpty { audiences = list("Tokens: for whom, such as https://api.example.com") }
        }
        return (name.isEmpty ? [] : ["--name=\(name)"]) + (issuer.isEmpty ? [] : ["--token-issuer=\(issuer)"])
            + audiences.map { "--token-audience=\($0)" } + given.testRoots.map { "--test-roots=\($0)" }
            + (given.testResponses ? ["--test-responses"] : [])
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
