import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import Foundation

struct BuildsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "builds",
        abstract: "Admits, lists and removes the builds of apps from which evidence is accepted.",
        discussion: """
            Under a policy with `builds: { rule: reject }`, evidence must come from an admitted build. A change is in force on \
            all servers of the ledger within seconds. A build is written as

              apple:APP-ID@BUNDLE-VERSION          for App Attest
              android:PACKAGE@VERSION-CODE         for Play Integrity and Android keys
              android:PACKAGE@VERSION-CODE@SHA256  with the signing certificate
            """,
        subcommands: [
            BuildsAddCommand.self, BuildsImportCommand.self, BuildsListCommand.self, BuildsRemoveCommand.self,
        ])
}

struct BuildsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Admits builds, or renews their admission.",
        discussion: """
            Without --for and --until the admission has no end. If the build is admitted already, the later of both ends \
            holds, and an admission without an end stays; name, reason and time are renewed.

              assay builds add android:com.example.shop@42 --name "1.4" --reason release
              assay builds add apple:ABCDE12345.com.example.shop@1.4.2 --for 14d \\
                --reason "beta test"
              assay builds add build/Shop.ipa build/shop.aab --reason release

            A file is read as an .apk, .aab or .ipa by its contents; nothing in it is verified. Google Play signs an .aab, and most \
            .apk files, anew: --with-certificate is for an .apk that devices get as it is.

            Exit status: 0, 1 when the builds are refused, 2 a file that gives no build, 3 an outage or no ledger.
            """)

    @Argument(
        help: "The builds, as texts or as .apk, .aab and .ipa files.",
        completion: .file(extensions: ["apk", "aab", "ipa"]), transform: BuildArgument.init)
    var builds: [BuildArgument]

    @Option(help: ArgumentHelp("What people call the build, such as 1.4 beta.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp("The team ID of an .ipa file without a provisioning profile.", valueName: "team-id"))
    var team: String?

    @Flag(help: "Admit the builds of .apk files only with the certificate that signed them.")
    var withCertificate = false

    @OptionGroup var admission: AdmissionOptions

    func validate() throws {
        if let objection = name.flatMap(AdmittedBuild.objection) { throw ValidationError("--name: \(objection)") }
    }

    func run() async throws {
        let named = try builds.map { build in (try build.build(team: team, withCertificate: withCertificate), name) }
        try await admission.admit(named)
    }
}

struct BuildsImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Admits the builds of a file, all or none.",
        discussion: """
            Each line of FILE is a build, which a space and its name may follow. Empty lines and those that begin with # are \
            passed over. A ledger has at most \(AdmittedBuilds.maximumCount) builds.

            Exit status: 0, 1 when the builds are refused, 2 a file that cannot be read, 3 an outage or no ledger.
            """)

    @Argument(help: "The file; - is standard input.", completion: .file())
    var file: String

    @OptionGroup var admission: AdmissionOptions

    func run() async throws {
        let bytes = try InputFile.read(file, limit: BuildLines.limit)
        let builds: [(AppBuild, String?)]
        do { builds = try BuildLines.read(bytes) } catch {
            throw CommandFailure(.unreadable, "\(InputFile.name(file)): \(error)")
        }
        try await admission.admit(builds)
    }
}

/// The builds on the lines of a file.
enum BuildLines {
    /// The most bytes of a file.
    static let limit = 8 * 1024 * 1024

    /// Why a file is refused, with the number of the line.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    static func read(_ bytes: [UInt8]) throws(Problem) -> [(build: AppBuild, name: String?)] {
        var builds: [(build: AppBuild, name: String?)] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            func problem(_ text: String) -> Problem { Problem(description: "line \(index + 1): \(text)") }
            guard let text = String(validating: line, as: UTF8.self) else { throw problem("it is not UTF-8") }
            let parts = text.split(maxSplits: 1) { $0.isWhitespace }
            guard let first = parts.first, !first.hasPrefix("#") else { continue }
            guard builds.count < AdmittedBuilds.maximumCount else {
                throw problem("more than \(AdmittedBuilds.maximumCount) builds, the most of a ledger")
            }
            let name = parts.dropFirst().first.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.flatMap {
                $0.isEmpty ? nil : $0
            }
            if let objection = name.flatMap(AdmittedBuild.objection) { throw problem("the name: \(objection)") }
            do { builds.append((try AppBuild(String(first)), name)) } catch { throw problem(error.description) }
        }
        guard !builds.isEmpty else { throw Problem(description: "it has no line with a build") }
        return builds
    }
}

/// The terms of an admission.
struct AdmissionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Why the builds are admitted.", valueName: "text"))
    var reason: String

    @OptionGroup var end: StandingEndOptions
    @OptionGroup var author: OperatorOption
    @OptionGroup var options: LedgerOptions

    func validate() throws {
        if let objection = AdmittedBuild.objection(to: reason) { throw ValidationError("--reason: \(objection)") }
    }

    /// Admits builds, and prints the first admissions.
    func admit(_ builds: [(build: AppBuild, name: String?)]) async throws {
        let now = Date()
        let until = end.time(from: now, standard: nil)
        let admissions = builds.map { build, name in
            AdmittedBuild(
                build, name: name, reason: reason, admittedAt: now, admittedBy: author.name, until: until)
        }
        let result = try await options.url.withLedger(creating: false) { open in
            try await LedgerRegister<AdmittedBuilds>(in: open.ledger).admit(admissions, by: author.name, at: now)
        }
        let admitted: [AdmittedBuild]
        do { admitted = try result.get() } catch { throw CommandFailure(.rejected, error.description) }
        guard admitted.count <= 20 else { return try Console.print("\(admitted.count) builds are admitted") }
        for admission in admitted {
            let end = admission.until.map { "until \(RFC3339.format($0))" } ?? "without an end"
            // The ledger keeps times to the millisecond.
            let isLater = until.map { (admission.until ?? .distantFuture).timeIntervalSince($0) > 0.001 } ?? false
            try Console.print(
                escaping: "\(admission.build) is admitted \(end)"
                    + (isLater ? ", the end of its earlier admission, which is later" : ""))
        }
    }
}
