package import AssayCore

/// A kind of evidence that `assay verify --kind` reads from one raw file. Options supply the rest of record and policy.
package struct RawKind: Sendable {
    /// What the file holds.
    package enum File: Sendable {
        /// Bytes, or base64 of them: the value of one field.
        case blob(field: String)
        /// Text without surrounding white space. The options state its form. Text of another form is refused, and never
        /// read as that form.
        case text(@Sendable (String, RawArguments) throws(RawError) -> RawFields)
        /// Bytes in a format of their own.
        case bytes(@Sendable ([UInt8], RawArguments) throws(RawError) -> RawFields)

        static let request = File.bytes { (file, arguments) throws(RawError) in
            try RawFields(request: file, arguments)
        }
    }

    /// The value of a policy field for a single raw file when no option sets it.
    package struct Default: Sendable {
        package let path: String
        package let content: PolicyNode.Content
        /// The note on standard error when the default applies.
        package let note: String?

        package init(_ path: String, _ content: PolicyNode.Content, note: String? = nil) {
            (self.path, self.content, self.note) = (path, content, note)
        }

        static let anyNonce = Default("requests.nonce", .scalar(RequestRules.NonceRule.any.rawValue))
    }

    package let kind: EvidenceKind
    package let file: File
    package let options: [RawOption]
    package let defaults: [Default]
    /// The lines of an example for help, with options and file.
    package let example: [String]
    /// The names in the policy for the values of an option `NAME=VALUE`, in order.
    package let names: (@Sendable (any EngineConfiguration) -> [String])?
    /// The problem with the combination of options; nil if there is none.
    package let objection: @Sendable (RawArguments) -> String?

    package init(
        _ kind: EvidenceKind, file: File, options: [RawOption], defaults: [Default] = [], example: [String] = [],
        names: (@Sendable (any EngineConfiguration) -> [String])? = nil,
        objection: @escaping @Sendable (RawArguments) -> String? = { _ in nil }
    ) {
        (self.kind, self.file, self.options, self.defaults) = (kind, file, options, defaults)
        (self.example, self.names, self.objection) = (example, names, objection)
    }
}

/// The options of a command line.
package struct RawArguments: Sendable {
    private let texts: [String: [String]]
    /// The paths of the policy fields that `--set` names.
    private let settings: Set<String>
    /// Whether a policy file is given, which replaces some options.
    package let hasPolicy: Bool
    /// The ledger file; nil for a ledger in memory.
    package let ledger: String?

    /// Whether a service, such as Google's servers, may be asked.
    package let hasService: Bool

    /// Collects the texts of the options by name.
    package init(
        _ texts: [String: [String]], settings: Set<String> = [], hasPolicy: Bool, hasService: Bool, ledger: String?
    ) {
        (self.texts, self.settings, self.hasPolicy) = (texts, settings, hasPolicy)
        (self.hasService, self.ledger) = (hasService, ledger)
    }

    package func texts(_ name: String) -> [String] { texts[name] ?? [] }

    package func text(_ name: String) -> String? { texts[name]?.last }

    package func has(_ name: String) -> Bool { text(name) != nil }

    /// Whether an option or its policy field is set.
    package func sets(_ name: String, _ path: String) -> Bool { has(name) || isSet(path) }

    /// Whether `--set` gives a policy field a value, by itself or as part of a whole mapping.
    package func isSet(_ path: String) -> Bool { settings.contains { path == $0 || path.hasPrefix("\($0).") } }
}

/// The fields of evidence that a file holds.
package struct RawFields: Sendable {
    package let fields: [(name: String, content: RecordValue.Content)]
    /// How the file was read, for standard error; nil if there is only one way.
    package let note: String?

    package init(_ fields: [(String, RecordValue.Content)], readAs note: String? = nil) {
        self.fields = fields
        self.note = note
    }
}

/// A file without evidence of its kind, or options that do not fit it.
package enum RawError: Error {
    /// Another option is needed.
    case usage(String)
    /// The file cannot be read, with the reason.
    case unreadable(String)
    /// The file cannot be decoded.
    case malformed(DecodeError)
}

extension RawOption {
    package static let targetURI = RawOption.evidence(
        "targetURI", .text, isVerbatim: false, valueName: "uri",
        "What the client asked for, https://HOST/PATH, when the request line of a message has only the path.")

    /// The options for signed requests, of an engine with `requests` in its section.
    static func requests(in fields: [PolicyField]) -> [RawOption] {
        [
            targetURI, alias(of: fields["requests.label"], valueName: "text"),
            alias(of: fields["requests.components"], valueName: "name"),
        ]
    }

    /// Why the target URI of a command line cannot be used; nil if it can, or there is none.
    package static func objection(toTargetURIOf arguments: RawArguments) -> String? {
        guard let uri = arguments.text(targetURI.name), !isAbsolute(uri) else { return nil }
        return "--\(targetURI.name): expected the whole of what the client asked for, https://HOST/PATH?QUERY, found "
            + "\"\(uri.excerpt)\""
    }

    /// True if a URI has a scheme and an authority. The checks verify the rest.
    private static func isAbsolute(_ uri: String) -> Bool {
        guard let mark = uri.firstRange(of: "://"), mark.lowerBound > uri.startIndex else { return false }
        return !uri[..<mark.lowerBound].contains("/") && !uri[mark.upperBound...].prefix { $0 != "/" }.isEmpty
    }
}

extension RawFields {
    package init(request file: [UInt8], _ arguments: RawArguments) throws(RawError) {
        let request: CapturedRequest
        do { request = try CapturedRequest(file) } catch { throw .malformed(error) }
        guard let targetURI = arguments.text(RawOption.targetURI.name) ?? request.targetURI else {
            let likely = request.likelyTargetURI.map {
                "; with https that is --target-uri '\($0.excerpt(atMost: 1024))'"
            }
            throw .usage(
                "--target-uri is required: the request line has only \(request.target.excerpt), and not which scheme and "
                    + "host the client asked for\(likely ?? "")")
        }
        let signed = SignedRequest(
            method: request.method, targetURI: targetURI, fields: request.fields, body: .bytes(request.body))
        do { self.init(try signed.recordMembers()) } catch { throw .malformed(error) }
    }
}
