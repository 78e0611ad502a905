import ArgumentParser
import Assay
import AssayInspection

/// The options of `assay verify` that replace record and policy for one raw blob.
struct RawOptions: ParsableArguments {
    /// The app name in verdicts if neither a policy nor an app is given.
    static let unnamedApp = "command-line"

    @Option(
        help: "FILE is one raw blob of this kind: bytes, base64 or base64url, the text of a token, or an HTTP request.",
        completion: .list(RawKindArgument.allValueStrings))
    var kind: RawKindArgument?

    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A field of the policy's section for the kind, such as receipt.maximumAge=5m, or the mode of a check, such as "
                + "checks.os-version=annotate. A VALUE that begins with [ or { is YAML. Repeatable.",
            valueName: "field=value"),
        completion: .list(RawOptions.settingNames), transform: { try RawSetting($0) })
    var settings: [RawSetting] = []

    @OptionGroup var engines: EngineOptions

    /// Whether the options declare the blob as one for analysis, whose verdict admits no request.
    var isAnalysis: Bool { engines.texts["loggable"] != nil }

    private static var settingNames: [String] {
        FirstParse.isRunning ? [] : EngineRegistry.current.configurations.flatMap { $0.fields }.map { "\($0.path)=" }
    }

    /// The option that also applies to records: the status list to judge by.
    static let statusList = "status-list"

    /// The value of `--status-list` for records; nil without it, or for a raw blob, whose policy contains it.
    var statusListOfRecords: String? { kind == nil ? engines.texts[Self.statusList]?.last : nil }

    /// Checks that the options are consistent; `policy`, `app` and `service` are true if given. Throws `ValidationError`.
    func validate(policy: Bool, app: Bool, service: Bool, ledger: LedgerURL) throws {
        guard let kind else {
            let others = engines.texts.keys.filter { $0 != Self.statusList }
            if let option = others.sorted().first ?? settings.first.map({ _ in "set" }) {
                throw ValidationError("--\(option) is for one raw blob; name its kind with --kind")
            }
            return
        }
        for option in engines.texts.keys.sorted() where kind.option(option) == nil {
            throw ValidationError("\(kind.raw.kind) has no option --\(option)")
        }
        let given = kind.raw.options.filter { engines.texts[$0.name] != nil }
        if policy, let option = given.first(where: \.isOfPolicy)?.name ?? settings.first.map({ _ in "set" }) {
            throw ValidationError("--\(option) and --policy exclude each other: the policy says it")
        }
        for option in given { try validateTexts(of: option) }
        let arguments = arguments(policy: policy, service: service, ledger: ledger)
        for option in kind.raw.options {
            guard case .always(let reason) = option.requirement, !arguments.has(option.name) else { continue }
            throw ValidationError("--\(option.name) is required: \(reason)")
        }
        for option in kind.raw.options where !policy {
            guard case .withoutPolicy(let reason) = option.requirement,
                !arguments.sets(option.name, option.alias?.field.path ?? "")
            else { continue }
            throw ValidationError("--\(option.name) is required without --policy: \(reason)")
        }
        if let objection = kind.raw.objection(arguments) { throw ValidationError(objection) }
        guard policy || app || ledger == .memory else {
            throw ValidationError("--app is required with \(ledger.description): the ledger keeps what it knows by app")
        }
    }

    /// The arguments for the declarations of a kind.
    func arguments(policy: Bool, service: Bool, ledger: LedgerURL) -> RawArguments {
        RawArguments(
            engines.texts, settings: Set(settings.map(\.path)), hasPolicy: policy, hasService: service,
            ledger: ledger == .memory ? nil : ledger.description)
    }

    /// Checks the values of an option against its encoding and key form, without reading files.
    private func validateTexts(of option: RawOption) throws {
        let texts = engines.texts[option.name] ?? []
        do {
            switch option.evidence?.encoding {
            case .bytes(let plainIsText):
                for text in texts { _ = try ValueArgument(text, plain: plainIsText ? .text : .base64) }
            case .publicKey:
                for text in texts where !RawRecord.isKeyText(text) { _ = try ValueArgument(text, plain: .base64) }
            case .number:
                for text in texts where UInt32(text) == nil || text.utf8.first == UInt8(ascii: "+") {
                    throw ValidationError(
                        "expected a whole number from 0 to \(UInt32.max), found \"\(text.prefix(40))\"")
                }
            case .named:
                for text in texts { _ = try NamedValue(text) }
            case .text, .textOrFile, .jsonFile, nil: break
            }
        } catch let error as ValidationError {
            throw ValidationError("--\(option.name): \(error.message)")
        }
        guard let key = option.key else { return }
        for text in texts { _ = try RawKey(text, of: option.name, key) }
        guard Set(texts).count == texts.count else { throw ValidationError("--\(option.name) names a source twice") }
    }
}
