import ArgumentParser
import Assay
import AssayCore
import AssayInspection
import AssayPlatforms
import AssayReplay
import Foundation

struct VerifyCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        guard !FirstParse.isRunning else { return FirstParse.configuration("verify") }
        let kinds = EngineRegistry.current.inspectable.flatMap { $0.rawKinds }
        let examples = kinds.filter { !$0.example.isEmpty }.map { kind in
            (["  assay verify --kind \(kind.kind)"] + kind.example).joined(separator: " \\\n    ")
        }
        var texts: [String] = []
        for option in kinds.flatMap(\.options) where option.isTextByDefault && !texts.contains("--\(option.name)") {
            texts.append("--\(option.name)")
        }
        return CommandConfiguration(
            commandName: "verify",
            abstract: "Verifies evidence: records under a policy, or one raw blob.",
            discussion: """
                FILE holds evidence records: a JSON object, an array of them, or one per line. With --kind it is one raw \
                blob instead, and the options say what a record and a policy would contain. Where a field of the policy has \
                no option of its own, --set gives it a value. Without --policy, the policy of records is the policy.yaml beside \
                them; a note names it.

                  assay verify --policy policy.yaml records.json
                \(examples.joined(separator: "\n"))

                VALUE is text for \(texts.joined(separator: ", ")), and base64 of either alphabet for other options. \
                The prefixes text:, hex:, base64: and file: select another form.

                An accepted attestation is enrolled in the ledger, an accepted assertion advances its key's counter there. \
                Keys come from the policy and, with a master key, from the key store in the file of the ledger. \
                A ledger that does not exist is an outage, unless --create-ledger creates it. Records that cannot be read \
                are reported, the first ten of each file; the other records are verified.

                Exit status: 0 all accepted, 1 at least one rejected, 2 evidence or policy that cannot be read, 3 an \
                outage of the ledger, the key store or Google, 64 bad arguments, 74 the output cannot be \
                written. The greatest wins.
                """)
    }

    @Argument(help: "The evidence, and - for standard input.", completion: .file())
    var files: [String]

    @Option(help: "The policy. (default: the policy.yaml beside the records)", completion: .yaml)
    var policy: String?

    @Option(help: "The name of an app of the policy; a record that names another is an error.")
    var app: String?

    @Option(help: "The account of the backend that the evidence came with; a record that names another is an error.")
    var account: String?

    @Option(
        help: ArgumentHelp("Judge as of this time (RFC 3339), not now.", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @Flag(help: "Judge each record as of its receivedAt.")
    var asCaptured = false

    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.allowed). (default: memory:)", valueName: "url"),
        completion: .ledger,
        transform: { try LedgerURL($0) })
    var ledger: LedgerURL?

    @OptionGroup var creation: CreateLedgerOption
    @OptionGroup var masterKey: MasterKeyOption

    @Flag(help: "Print one JSON verdict per line.")
    var json = false

    @Flag(help: "Print one line per verdict: outcome, name, kind, app, and the first failed check with its code.")
    var oneline = false

    @Flag(help: "Print only verdicts that reject, or that are not what the record expects.")
    var rejected = false

    @Flag(help: "Print no verdict: the exit status is the answer.")
    var quiet = false

    @Option(
        help: ArgumentHelp("The private key that opens sealed records: file:PATH or env:NAME.", valueName: "source"),
        completion: .source)
    var captureKey: String?

    @OptionGroup var google: GoogleOptions
    @OptionGroup var statusServer: StatusListServerOption
    @OptionGroup var raw: RawOptions

    private var ledgerURL: LedgerURL { ledger ?? .memory }

    func validate() throws {
        guard at == nil || !asCaptured else { throw ValidationError("--at and --as-captured exclude each other") }
        guard (1...InputLimits.account).contains(account?.utf8.count ?? 1) else {
            throw ValidationError("--account takes 1 to \(InputLimits.account) bytes")
        }
        guard files.filter({ $0 == "-" }).count <= 1 else { throw ValidationError("standard input can be read once") }
        try SecretArgument.validate(captureKey, of: "--capture-key")
        guard captureKey == nil || raw.kind == nil else {
            throw ValidationError("--capture-key is for sealed records, --kind for one raw blob")
        }
        guard [json, oneline, quiet].filter(\.self).count <= 1 else {
            throw ValidationError("--json, --oneline and --quiet exclude each other")
        }
        guard !rejected || !quiet else { throw ValidationError("--rejected and --quiet exclude each other") }
        guard ledgerURL != .memory || !creation.createLedger else {
            throw ValidationError("--create-ledger needs --ledger \(LedgerURL.durableForm); memory: is new each time")
        }
        guard ledgerURL != .memory || masterKey.masterKey == nil else {
            throw ValidationError("--master-key needs --ledger \(LedgerURL.durableForm), in which the key store is")
        }
        try raw.validate(
            policy: policy != nil, app: app != nil, service: google.serviceAccount != nil, ledger: ledgerURL)
        if let text = raw.statusListOfRecords {
            let choice = try StatusListChoice(text)
            guard choice != .asCaptured || asCaptured else {
                throw ValidationError(
                    "--status-list as-captured needs --as-captured: evidence names the list that counts only in an analysis"
                )
            }
        }
        guard raw.kind != nil else {
            guard try policy != nil || policyOfFiles() != nil else {
                // Reading a terminal would block without an explanation, and standard input can be read in one parse only.
                let readable = files.first.flatMap {
                    FirstParse.isRunning || $0 == "-" && isatty(STDIN_FILENO) == 1 ? nil : $0
                }
                let choice = readable.flatMap { file in
                    RecognisedBlob(file: file)?.choice.map { ". \(InputFile.name(file)): \($0)" }
                }
                throw ValidationError(
                    "--policy is required for records without a policy.yaml beside them; one raw blob needs --kind instead"
                        + (choice ?? ""))
            }
            return
        }
        guard files.count == 1 else { throw ValidationError("--kind takes one FILE, found \(files.count)") }
        guard !asCaptured else { throw ValidationError("--as-captured is for records; a raw blob has --at") }
        guard raw.engines.texts["decoded"] == nil || google.serviceAccount == nil else {
            throw ValidationError(
                "--decoded and --service-account exclude each other: an answer is not sent to Google, a token is")
        }
    }

    func run() async throws {
        let policy = try readPolicy()
        let masterKey = try ledgerURL == .memory ? nil : masterKey.readIfAny()
        try await ledgerURL.withLedger(creating: creation.createLedger, isPurged: at == nil && !asCaptured) { open in
            try await judge(under: policy, open, masterKey)
        }
    }

    private func judge(under policy: VerificationPolicy, _ open: OpenLedger, _ masterKey: MasterKey?) async throws {
        let client = try google.client()
        let status = try policy.needsStatusService ? statusServer.connection(sharing: open.ledger) : nil
        let archive = try raw.statusListOfRecords.flatMap { try StatusListChoice($0).archive(beside: files) }
        let isAnalysis = asCaptured || raw.isAnalysis
        let apple =
            policy.needsDeviceTokenService && !isAnalysis
            ? try AppleServers().connection(ledger: open.ledger, masterKey: masterKey) : nil
        let services: [(any EngineService)?] = [client, status, archive, apple, HostCertificates()]
        func shutdown() async {
            await client?.shutdown()
            await status?.shutdown()
            await apple?.shutdown()
        }
        try await finishing(with: shutdown) {
            let verifier = Verifier(
                policy: policy, ledger: open.ledger, keyStores: try await keyStores(open, masterKey, beside: policy),
                services: services.compactMap(\.self), engines: .current,
                use: isAnalysis ? .analysis : .admission)
            try await judge(with: verifier)
        }
    }

    private func judge(with verifier: Verifier) async throws {
        var report = VerdictReport(
            quiet ? .none : json ? .json : oneline ? .line : .table, hasMemoryLedger: ledgerURL == .memory,
            isRejectedOnly: rejected)
        if let kind = raw.kind {
            try await verify(kind, with: verifier, into: &report)
        } else {
            let records = RecordVerification(
                verifier: verifier, app: app, account: account, time: asCaptured ? nil : at ?? Date(),
                captureKey: try captureKey.map { try CaptureKeyArgument.privateKey($0, of: "--capture-key") })
            for file in files {
                guard try await records.verify(file, into: &report) else { break }
            }
        }
        try report.finish()
    }

    /// The ledger's key store; empty without a master key.
    private func keyStores(
        _ open: OpenLedger, _ masterKey: MasterKey?, beside policy: VerificationPolicy
    ) async throws -> [any KeyStore] {
        guard let storage = open.keys else { return [] }
        let sealed = try await storage.sealedKeys()
        guard let masterKey else {
            if !sealed.isEmpty {
                Console.note("the keys of the key store in \(ledgerURL.description) are not used; give --master-key")
            }
            return []
        }
        for name in policy.keys.map(\.name) where sealed.contains(where: { $0.name.isByteEqual(to: name) }) {
            Console.note(
                "the policy and the key store both have a key \(name), and both are tried: what retires one leaves "
                    + "the other")
        }
        return [try open.keyStore(masterKey)]
    }

    private func readPolicy() throws -> VerificationPolicy {
        guard let path = policy else {
            if let kind = raw.kind { return try RawPolicy.read(kind, raw, app: app ?? RawOptions.unnamedApp) }
            guard let path = try policyOfFiles() else { throw ValidationError("--policy is required for records") }
            Console.note("the policy is \(path); --policy names another")
            return try PolicyArgument.read(path)
        }
        return try PolicyArgument.read(path)
    }

    /// The `policy.yaml` beside the files, as `assay replay` finds it for a file; nil without one. With --quiet nobody would learn which
    /// policy it was, and whoever sent the files may have sent it too: then it must be named.
    ///
    /// - Throws: `ValidationError` for files of which each has another, or one has none.
    private func policyOfFiles() throws -> String? {
        guard !quiet else { return nil }
        let paths = files.map { file -> String? in
            guard file != "-" else { return nil }
            let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
            let path = folder + ReplayPolicies.fileName
            return access(path, F_OK) == 0 ? path : nil
        }
        guard Set(paths).count <= 1 else {
            throw ValidationError("the files have not one policy.yaml beside them all; give --policy")
        }
        return paths.first ?? nil
    }

    private func verify(
        _ kind: RawKindArgument, with verifier: Verifier, into report: inout VerdictReport
    ) async throws {
        guard let file = files.first else { return }
        let name = InputFile.name(file)
        let raw = RawRecord(kind: kind, options: self.raw, name: name)
        let arguments = self.raw.arguments(
            policy: policy != nil, service: google.serviceAccount != nil, ledger: ledgerURL)
        let bytes = try InputFile.read(file, limit: BlobFile.limit, expected: Inspector.lookedFor)
        var record = try raw.read(bytes, app: app, policy: verifier.policy, arguments)
        record.account = account
        do {
            let verdict = try await verifier.verify(record, at: at ?? Date())
            let mismatch =
                verdict.outcome == .accept
                ? nil : verdict.isUndecodable ? raw.undecodable(bytes) : raw.mismatch(in: bytes, isUndecodable: false)
            let diagnosis = await Diagnosis.sentences(on: record, verdict, verifier)
            try report.add(verdict, id: name, fallback: name, remarks: diagnosis + [mismatch].compactMap(\.self))
        } catch let error as VerificationError {
            switch error {
            case .outage(let outage): report.fail(outage)
            case .record(let error):
                if let failure = raw.failure(error) { throw failure }
                let mismatch = raw.mismatch(in: bytes, isUndecodable: true).map { "; \($0)" } ?? ""
                report.fail("\(name): \(error)\(mismatch)")
            case .request(let error): report.fail("\(name): \(error)\(RequestAdvice.text(error))")
            }
        }
    }
}

extension RawOption {
    /// Whether a value without a prefix is text instead of base64.
    fileprivate var isTextByDefault: Bool {
        switch evidence?.encoding {
        case .bytes(plainIsText: true), .named: true
        default: false
        }
    }
}
