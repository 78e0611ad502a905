import AssayCore
import AssayPrimitives

extension FuzzTarget {
    /// Signature bases: one line for each component; no field value adds or removes a line.
    ///
    /// The input has lines: the member of Signature-Input, the method, the target URI, and then fields as `name:
    /// value`. In a value, byte 1 means a line feed and byte 2 a carriage return.
    static let signatureBase = FuzzTarget(
        name: "signature-base", maximumLength: 512, dictionary: SignatureBaseReading.dictionary,
        seeds: { SignatureBaseReading.seeds() },
        run: { input in
            guard let (signature, message) = SignatureBaseReading.parts(of: input) else { return false }
            var isAccepted = false
            for folding in [SignatureBaseRules.LineFolding.refuse, .unfold] {
                let rules = SignatureBaseRules(lineFolding: folding)
                guard let base = try? SignatureBase.build(for: signature, of: message, rules: rules) else { continue }
                require((try? SignatureBase.build(for: signature, of: message, rules: rules)) == base, "two bases")
                let lines = base.split(separator: 0x0A, omittingEmptySubsequences: false)
                require(
                    lines.count == signature.components.count + 1,
                    "\(lines.count) lines of \(signature.components.count) components")
                for (line, component) in zip(lines, signature.components) {
                    let name = (try? StructuredFieldWriter.write(component.item)) ?? []
                    require(line.starts(with: name + [0x3A, 0x20]), "a line of another component: \(component.text)")
                    require(!line.contains(0x0D), "a line with a carriage return")
                    let value = try? SignatureBase.value(of: component, in: message, rules: rules)
                    require(value.map { name + [0x3A, 0x20] + $0 } == Array(line), "a value that is another one alone")
                }
                let parameters = (try? StructuredFieldWriter.write(signature.innerList)) ?? []
                require(
                    lines.last.map(Array.init) == Array(#""@signature-params": "#.utf8) + parameters,
                    "a last line of other parameters")
                isAccepted = true
            }
            return isAccepted
        })
}

/// The message and its signature input, from the lines of an input.
enum SignatureBaseReading {
    static let dictionary = [
        "\"@method\"", "\"@target-uri\"", "\"@authority\"", "\"@scheme\"", "\"@request-target\"", "\"@path\"",
        "\"@query\"", "\"@query-param\";name=\"a\"", "\"@status\"", ";sf", ";bs", ";key=\"a\"", ";tr", ";req",
        "https://", "%41", "\u{1} ", "\u{2}\u{1} ", "\n",
    ]

    static func seeds() -> [[UInt8]] {
        [
            #"a=("@method" "@target-uri" "date" "priority";sf);created=1"#
                + "\nGET\nhttps://a.example/b?c=d\nDate: x\nPriority:  u=1,i",
            #"a=("@authority" "@scheme" "@path" "@query" "@request-target" "@query-param";name="c")"#
                + "\nPOST\nHTTPS://A.example:443/b?c=%41+d&e",
            #"a=("x";bs "priority";key="u" "x");tag="t""#
                + "\nPUT\nhttp://a\nX: 1\nx:  2\u{2}\u{1} 3\nPriority: u=1, i",
            #"a=()"# + "\nGET\nhttps://a/",
        ].map { Array($0.utf8) }
    }

    static func parts(of input: [UInt8]) -> (SignatureInput, HTTPMessageParts)? {
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count >= 3, let signature = try? SignatureInputField(lines[0]).inputs.first else { return nil }
        let fields = lines[3...].map { line -> HTTPMessageParts.Field in
            let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
            let value = (parts.count > 1 ? parts[1] : []).map { $0 == 1 ? 0x0A : $0 == 2 ? 0x0D : $0 }
            return HTTPMessageParts.Field(
                String(decoding: parts[0], as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        let message = HTTPMessageParts(
            method: String(decoding: lines[1], as: UTF8.self), targetURI: String(decoding: lines[2], as: UTF8.self),
            fields: fields)
        return (signature, message)
    }
}
