import AssayCore

/// The files that a policy names, in memory.
struct PolicyTexts: PolicyFiles {
    private let texts: [String: String]

    init(_ texts: [String: String]) { self.texts = texts }

    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        // The error shows no scalar of another form, which may be a secret.
        guard case .scalar(let text) = node.content, text.hasPrefix("file:"),
            let found = texts[String(text.dropFirst("file:".count))]
        else {
            let names = texts.keys.sorted().map { "file:\($0.excerpt)" }.joined(separator: ", ")
            throw node.error("expected one of the given texts, \(names.isEmpty ? "of which there are none" : names)")
        }
        return Array(found.utf8)
    }
}
