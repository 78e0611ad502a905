import Assay
import AssayCore
import AssayHTTP
import AssayInspection
import AssayReplay
import FoundationEssentials
import HTTPTypes

/// What a pasted blob is, and how it is judged. Nothing of it is kept, shown in an address, or logged.
extension Console {
    /// The most fields that are shown.
    private static let most = 2000

    var inspectPage: Page {
        Page(path: Self.path + "/inspect", name: "Inspect", right: .read, parameters: []) { (visit) throws(Problem) in
            let policy: Markup =
                visit.rights.contains(.administer)
                ? Markup.area("Policy", "policy", hint: "YAML; empty for the one in force", rows: 4) : ""
            let fields: Markup = """
                \(Markup.area("Blob", "blob", hint: "a record, an attestation, a token, a certificate, a log line: text, base64 or hexadecimal"))\
                \(policy)<button>Inspect</button>
                """
            return ConsolePage(
                title: "Inspect",
                content: """
                    \(visit.form(Self.path + "/inspect", fields))
                    <p class="muted">A blob has at most \(InspectEndpoint.bodyLimit) bytes. Records are also judged, with a ledger \
                    that is empty: challenges and keys of the service are unknown to it, and it takes no part in what the \
                    service decides. Nothing is kept.</p>
                    """)
        }
    }

    var inspectForm: Form {
        Form(path: Self.path + "/inspect", right: .read, fields: ["blob", "policy"]) { (visit) async throws(Problem) in
            let bytes = Array((visit.values["blob"] ?? "").utf8)
            guard bytes.count <= InspectEndpoint.bodyLimit else { throw .tooLong(InspectEndpoint.bodyLimit) }
            let policy = try await policy(visit)
            let content = await executor.run { () -> Markup in
                let layer = Verifier.inspector.inspect(bytes, name: "blob")
                var rest = Self.most
                let tree = Self.markup(layer, &rest)
                let more: Markup = rest > 0 ? "" : "<p>There is more, which <code>assay inspect</code> shows.</p>"
                let summary: [Markup] = InspectionSummary(layer).lines.map { "<p>\($0)</p>" }
                return "\(summary)\(await Self.judgement(bytes, policy))<h2>Content</h2>\(tree)\(more)"
            }
            return .page(
                ConsolePage(
                    title: "Inspection",
                    content: "\(content)<p><a href=\"/console/inspect\">Inspect another one</a></p>"))
        }
    }

    /// The pasted policy, whose paths are relative to the file of the service; the one in force without.
    private func policy(_ visit: ConsoleVisit) async throws(Problem) -> VerificationPolicy {
        guard let text = visit["policy"] else { return administration.state.verifier.policy }
        guard visit.rights.contains(.administer) else {
            throw Problem(.forbidden, .roleNotAllowed, "a policy of your own needs the role admin, as its check does")
        }
        try Self.requireLength(text)
        let path = administration.configuration.policy
        do throws(PolicyError) {
            return try await administration.work.run { () throws(PolicyError) in
                try PolicyFile.policyInForce(of: text, path: path, engines: .standard).policy
            }
        } catch { throw Problem(.unprocessableContent, .policyUnusable, "\(error)") }
    }

    /// The verdict on a record, under a policy and an empty ledger; nothing for other blobs.
    private static func judgement(_ bytes: [UInt8], _ policy: VerificationPolicy) async -> Markup {
        guard case .success(let record) = RecordFile.readLine(bytes[...]) else { return "" }
        let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
        do throws(VerificationError) {
            let verdict = try await verifier.verify(record, at: Date())
            let word: Markup =
                verdict.outcome == .accept ? "<span class=\"good\">accept</span>" : "<span class=\"bad\">reject</span>"
            let rows = verdict.checks.map { result -> [Markup] in
                let finding = result.finding.map { "\($0.code): \($0.detail)" } ?? result.because.map { "\($0)" }
                return [.check(result.check.name), "\(result.status.rawValue)", "\(finding ?? "")"]
            }
            return """
                <h2>Verdict</h2><p>\(word) as of now, with an empty ledger</p>\
                \(Markup.table("Checks", ["Check", "Status", "Why"], rows, none: "No check ran."))
                """
        } catch {
            let problem = Problem(error, retryAfter: 0)
            return "<h2>Verdict</h2><p class=\"alert\">None: \(problem.detail)</p>"
        }
    }

    private static func markup(_ layer: InspectionLayer, _ rest: inout Int) -> Markup {
        guard rest > 0 else { return "" }
        rest -= 1
        var inner: Markup = ""
        if let violation = layer.violation {
            let field = violation.field.isEmpty ? "" : "\(violation.field): "
            inner +=
                "<p class=\"alert\">Strict decoding stops at byte \(violation.offset): \(field)\(violation.message)</p>"
        }
        if let recognition = layer.recognition { inner += "<p class=\"muted\">because \(recognition.reason)</p>" }
        inner += markup(layer.annotations, &rest)
        let unknown: [Markup] = layer.unknown.map { "<li>\($0)</li>" }
        if !unknown.isEmpty { inner += "<p>Not known from this alone:</p><ul>\(unknown)</ul>" }
        for nested in layer.nested { inner += markup(nested, &rest) }
        return """
            <details open="open"><summary>\(layer.name): \(layer.format ?? "unknown bytes"), \(layer.bytes.count) bytes</summary>\
            <div class="tree">\(inner)</div></details>
            """
    }

    private static func markup(_ annotations: [Annotation], _ rest: inout Int) -> Markup {
        var items: Markup = ""
        for annotation in annotations where rest > 0 {
            rest -= 1
            let value = annotation.value.map { "\($0.prefix(512))" + ($0.utf8.count > 512 ? " ..." : "") } ?? ""
            let meaning: Markup = annotation.meaning.map { " <small>\($0)</small>" } ?? ""
            let violation: Markup = annotation.violation.map { " <span class=\"bad\">\($0)</span>" } ?? ""
            items +=
                "<li>\(annotation.name) <code>\(value)</code>\(meaning)\(violation)\(markup(annotation.children, &rest))</li>"
        }
        return items.html.isEmpty ? "" : "<ul>\(items)</ul>"
    }
}
