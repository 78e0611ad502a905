import ArgumentParser
import AssayCore
import AssayInspection
import AssayPrimitives

/// Builds the record for one raw blob and its options.
struct RawRecord {
    let kind: RawKindArgument
    let options: RawOptions
    /// The name of the file.
    let name: String

    /// Builds the record from the contents of a file; `app` is nil for the policy's matching app.
    func read(
        _ file: [UInt8], app: String?, policy: VerificationPolicy, _ arguments: RawArguments
    ) throws -> EvidenceRecord {
        var fields = try fields(of: file, arguments)
        for option in kind.raw.options {
            guard let evidence = option.evidence, let text = options.engines.texts[option.name]?.last else { continue }
            let content: RecordValue.Content
            switch evidence.encoding {
            case .text: content = .text(text)
            case .textOrFile:
                content = .text(try ValueArgument(text, plain: .text).resolveText(of: "--\(option.name)"))
            case .number: content = .number(text)
            case .bytes(let plainIsText):
                let value = try ValueArgument(text, plain: plainIsText ? .text : .base64)
                content = .text(Base64.encode(try value.resolve(), .standard))
            case .publicKey: content = .text(Base64.encode(try publicKey(text, of: option.name), .standard))
            case .jsonFile: content = .object(try jsonFile(text, of: option.name))
            case .named: content = .array(try named(option.name, app: app, policy))
            }
            fields.removeAll { $0.name == evidence.path }
            fields.append((evidence.path, content))
        }
        return EvidenceRecord(
            id: nil, kind: kind.raw.kind, app: app, receivedAt: nil, evidence: Self.object(fields), expect: nil)
    }

    /// Converts a record error to one that names the option that set the field; nil if no option did.
    func failure(_ error: RecordError) -> CommandFailure? {
        let option = kind.raw.options.first { option in
            guard let evidence = option.evidence, options.engines.texts[option.name] != nil else { return false }
            return error.field == "evidence.\(evidence.path)"
        }
        return option.map { CommandFailure(.usage, "--\($0.name): \(error.message)") }
    }

    /// The sentence for a file that is of another kind; nil if the kind fits or is unknown.
    func mismatch(in file: [UInt8], isUndecodable: Bool) -> String? {
        let recognised = RecognisedBlob(file)
        // Evidence of another kind and records have an option of their own. Anything else around the evidence is a wrapping.
        if isUndecodable, recognised?.hasOption(besides: kind) != true,
            let wrapped = WrappedEvidence(file, of: kind.raw.kind, butNot: BlobFile(file).bytes)
        {
            return wrapped.sentence
        }
        return recognised?.mismatch(with: kind, isUndecodable: isUndecodable)
    }

    /// The sentence for a file that cannot be decoded: as ``mismatch(in:isUndecodable:)``, or that nothing of the kind was
    /// found and what was looked for; nil if inspection recognises the kind.
    func undecodable(_ file: [UInt8]) -> String? {
        if let mismatch = mismatch(in: file, isUndecodable: true) { return mismatch }
        let recognised = RecognisedBlob(file)
        guard recognised?.fits(kind) != true else { return nil }
        let found = recognised.map { "inspection sees \($0.format), and in it " } ?? "in this file "
        return "\(found)no \(kind.raw.kind); \(Inspector.lookedFor)"
    }

    // MARK: The file

    private func fields(
        of file: [UInt8], _ arguments: RawArguments
    ) throws(CommandFailure) -> [(name: String, content: RecordValue.Content)] {
        let read: RawFields
        do throws(RawError) {
            switch kind.raw.file {
            case .blob(let field):
                let blob = BlobFile(file)
                Console.note("\(name): \(blob.sentence)")
                return [(field, .text(Base64.encode(blob.bytes, .standard)))]
            case .text(let fields): read = try fields(text(file), arguments)
            case .bytes(let fields): read = try fields(file, arguments)
            }
        } catch {
            let isUsage = if case .usage = error { true } else { false }
            let other = (isUsage ? mismatch(in: file, isUndecodable: true) : undecodable(file)).map { "; \($0)" } ?? ""
            switch error {
            case .usage(let message): throw CommandFailure(.usage, "\(name): \(message)\(other)")
            case .unreadable(let message): throw CommandFailure(.unreadable, "\(name): \(message)\(other)")
            case .malformed(let error):
                let line = LineIndex(file).line(of: error.offset)
                throw CommandFailure(.unreadable, "\(name): line \(line), \(error)\(other)")
            }
        }
        if let note = read.note { Console.note("\(name): read as \(note)") }
        return read.fields
    }

    /// The text of a file without a byte order mark and surrounding white space.
    private func text(_ file: [UInt8]) -> String {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
        var body = file[...]
        if body.starts(with: [0xEF, 0xBB, 0xBF]) {
            Console.note("\(name): begins with a byte order mark, which is ignored")
            body = body.dropFirst(3)
        }
        body = body.drop(while: spaces.contains)
        return String(decoding: body.prefix(body.reversed().drop(while: spaces.contains).count), as: UTF8.self)
    }

    // MARK: Values

    /// Whether a value is PEM or a JSON Web Key itself, as a shell passes the contents of a file.
    static func isKeyText(_ value: String) -> Bool { value.hasPrefix("-----BEGIN ") || value.hasPrefix("{") }

    /// A public key in any of its forms. Any other value is a bad argument: it says nothing about the evidence.
    private func publicKey(_ text: String, of option: String) throws -> [UInt8] {
        let bytes = RawRecord.isKeyText(text) ? Array(text.utf8) : try ValueArgument(text, plain: .base64).resolve()
        do { return try PublicKeyText.subjectPublicKeyInfo(bytes) } catch {
            throw CommandFailure(.usage, "--\(option): \(error); allowed are \(PublicKeyText.allowed)")
        }
    }

    private func jsonFile(_ path: String, of option: String) throws -> RecordObject {
        let bytes = try ValueArgument("file:\(path)", plain: .text).resolve()
        do {
            return try JSONReader.readObject(bytes, limit: InputLimits.integrityAnswer)
        } catch {
            throw CommandFailure(.unreadable, "--\(option) \(path.excerpt): \(error.description)")
        }
    }

    // MARK: Values by name

    /// The values of a `NAME=VALUE` option in the order of the policy's names; an empty text for a missing value.
    private func named(_ option: String, app: String?, _ policy: VerificationPolicy) throws -> [RecordValue] {
        let section = kind.engine.configuration
        let configurations = policy.apps.filter { $0.name.isByteEqual(to: app ?? $0.name) }
            .compactMap { app in app.configurations.first { type(of: $0) == section } }
        // If no app matches, or several do, the engine reports the error.
        guard let configuration = configurations.first, configurations.count == 1,
            let names = kind.raw.names?(configuration)
        else { return [] }
        var values: [String: String] = [:]
        for text in options.engines.texts[option] ?? [] {
            let named = try NamedValue(text)
            // Field names are ASCII. Other letters that become ASCII in lower case are not equal.
            guard named.name.utf8.allSatisfy({ $0 < 0x80 }),
                let name = names.first(where: { $0.lowercased().isByteEqual(to: named.name.lowercased()) })
            else {
                let bound = names.map(\.excerpt).joined(separator: ", ")
                throw CommandFailure(
                    .usage,
                    "--\(option) \(named.name.excerpt): the policy binds tokens to \(bound.isEmpty ? "nothing" : bound)"
                )
            }
            guard values[name] == nil else {
                throw CommandFailure(.usage, "--\(option) \(named.name.excerpt): the value is given twice")
            }
            values[name] = try named.resolve(of: option)
        }
        return names.map { RecordValue(.text(values[$0] ?? ""), offset: 0) }
    }

    /// Builds an object from fields. A dotted name puts its field into a nested object.
    private static func object(_ fields: [(name: String, content: RecordValue.Content)]) -> RecordObject {
        var members: [(String, RecordValue.Content)] = []
        for field in fields {
            guard let period = field.name.firstIndex(of: ".") else {
                members.append((field.name, field.content))
                continue
            }
            let outer = String(field.name[..<period])
            guard !members.contains(where: { $0.0 == outer }) else { continue }
            let inner = fields.filter { $0.name.hasPrefix("\(outer).") }
                .map { (name: String($0.name.dropFirst(outer.count + 1)), content: $0.content) }
            members.append((outer, .object(object(inner))))
        }
        return RecordObject(members)
    }
}
