import AssayCore

extension ApproovConfiguration.Settings {
    /// Ten years, in seconds.
    static let longestLifetime: Double = 10 * 366 * 86_400

    /// Checks the rules that concern several fields.
    func validate() throws(PolicyError) {
        if let keys { try Self.requireList(keys, "keys") }
        try Self.require(tokenHeader, isFieldNameIn: "tokenHeader")
        if let tokenPrefix, let objection = Self.objection(toPrefix: tokenPrefix) {
            throw PolicyError(field: "tokenPrefix", objection)
        }
        for name in binding { try Self.require(name, isFieldNameIn: "binding") }
        try Self.requireUnique(binding.map { $0.lowercased() }, "binding")
        if binding.contains(where: { $0.lowercased().isByteEqual(to: tokenHeader.lowercased()) }) {
            throw PolicyError(field: "binding", "a token cannot be bound to \(tokenHeader), which it stands in itself")
        }
        guard binding.isEmpty || failover != nil else {
            throw PolicyError(
                field: "failover",
                "required field is missing beside binding; allowed are reject, and accept, which lets tokens of the failover "
                    + "service past the binding")
        }
        try Self.requireUnique(issuers + longLivedIssuers, issuers.isEmpty ? "longLivedIssuers" : "issuers")
        try Self.requireUnique(audiences, "audiences")
        for (list, field) in [
            (issuers, "issuers"), (longLivedIssuers, "longLivedIssuers"), (audiences, "audiences"),
            (annotations.reject + annotations.note + annotations.ignore, "annotations"),
        ] where list.contains("") {
            throw PolicyError(field: field, "expected text, found nothing")
        }
        try Self.requireUnique(annotations.reject + annotations.note + annotations.ignore, "annotations")
        for name in annotations.note + annotations.ignore where AnnotationRules.floor.containsBytes(of: name) {
            throw PolicyError(
                field: annotations.note.containsBytes(of: name) ? "annotations.note" : "annotations.ignore",
                "\(name) shows tampering, and no policy lets it pass; leave it away")
        }
        if let maximumLifetime, !(1...Self.longestLifetime).contains(maximumLifetime) {
            throw PolicyError(
                field: "maximumLifetime", "expected 1 s to ten years, found \(maximumLifetime) seconds")
        }
        try messageSigning?.validate(tokenHeader: tokenHeader)
        try textSigning?.validate()
        try proof?.validate()
        if case .value(let text) = whenAbsent, text.isEmpty {
            throw PolicyError(field: "whenAbsent.value", "expected text, found nothing")
        }
    }

    static func requireList(_ list: [String], _ field: String) throws(PolicyError) {
        guard !list.isEmpty else { throw PolicyError(field: field, "expected at least one value, found none") }
        try requireUnique(list, field)
    }

    static func requireUnique(_ list: [String], _ field: String) throws(PolicyError) {
        var seen: Set<[UInt8]> = []
        for text in list where !seen.insert(Array(text.utf8)).inserted {
            throw PolicyError(field: field, "\(text.excerpt) is in the list twice")
        }
    }

    /// RFC 9110 section 5.1: a field name is a token.
    static func require(_ name: String, isFieldNameIn field: String) throws(PolicyError) {
        guard !name.isEmpty, name.utf8.allSatisfy(HTTPFieldText.isTokenCharacter) else {
            throw PolicyError(field: field, "expected the name of an HTTP field, found \"\(name.excerpt)\"")
        }
    }

    private static func objection(toPrefix prefix: String) -> String? {
        guard !prefix.isEmpty, prefix.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), prefix.utf8.first != 0x20 else {
            return "expected printable characters that do not begin with a space, found \"\(prefix.excerpt)\""
        }
        // Otherwise the start of the token would be ambiguous.
        guard let last = prefix.utf8.last, !last.isASCIIAlphanumeric, !"-._".utf8.contains(last) else {
            return "expected a prefix that ends with a character that no token has, such as a space, found "
                + "\"\(prefix.excerpt)\""
        }
        return nil
    }
}

extension MessageSigning {
    fileprivate func validate(tokenHeader: String) throws(PolicyError) {
        typealias Settings = ApproovConfiguration.Settings
        if let keys {
            guard signer == .account else {
                throw PolicyError(
                    field: "messageSigning.keys",
                    "the keys of installations come with their tokens; keys are for signer account")
            }
            try Settings.requireList(keys, "messageSigning.keys")
        }
        try Settings.requireList(components, "messageSigning.components")
        for name in components {
            if let objection = SignatureComponent.objection(toDemandOf: name) {
                throw PolicyError(field: "messageSigning.components", objection)
            }
        }
        // Otherwise an attacker could combine an installation's signature with the token of another request.
        let token = tokenHeader.lowercased()
        guard components.containsBytes(of: token) else {
            throw PolicyError(
                field: "messageSigning.components", "\(token) is missing: every signature must cover the token")
        }
        for (seconds, field) in [(freshness.past, "past"), (freshness.future, "future")] {
            guard (0...FreshnessWindow.longest).contains(seconds) else {
                throw PolicyError(
                    field: "messageSigning.freshness.\(field)",
                    "expected 0 s to one day, found \(seconds) seconds")
            }
        }
    }
}
