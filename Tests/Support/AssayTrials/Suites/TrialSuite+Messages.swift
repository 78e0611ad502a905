import AssayCore
import AssayPrimitives
import AssayTestSupport
import Crypto

/// The examples of RFC 9421 and RFC 9530.
extension TrialSuite {
    static var messages: [TrialSuite] { [messageBases, components, contentDigests] }

    private static let examples = "suites/httpsig/rfc9421_9530.json"

    /// The cases of one part of the file, and their number as the file states it.
    private static func part(_ name: String, counted count: String) throws -> (cases: [RecordValue], count: Int) {
        let root = try examplesRoot()
        guard case .number(let digits)? = root["count"]?.object?[count]?.content else {
            throw SuiteFileError(description: "no count of \(count)")
        }
        return (try need(root[name]?.array), try need(Int(digits)))
    }

    private static func examplesRoot() throws -> RecordObject {
        try JSONReader.readObject(Array(SharedFiles.data(examples)), limit: 16 << 20)
    }

    /// The message with a start line and fields.
    private static func message(_ description: RecordObject) throws -> HTTPMessageParts {
        let start = try need(description["start"]?.text)
        let fields = try need(description["headers"]?.array).map { line in
            let pair = try need(line.array).map { try need($0.text) }
            return HTTPMessageParts.Field(pair[0], pair[1])
        }
        let words = start.split(separator: " ", maxSplits: 2).map(String.init)
        if start.hasPrefix("HTTP/") {
            return HTTPMessageParts(
                status: try need(Int(words[1])), fields: fields, to: try description["request"]?.object.map(message))
        }
        let host = fields.first { $0.name == "Host" }?.value ?? ""
        let scheme = description["scheme"]?.text ?? "https"
        var message = HTTPMessageParts(method: words[0], targetURI: "", fields: fields, requestTarget: words[1])
        switch words[1] {
        case let target where target.hasPrefix("/"): message.targetURI = "\(scheme)://\(host)\(target)"
        case let target where target.contains("://"): message.targetURI = target
        case "*": message.targetURI = "\(scheme)://\(host)"
        case let authority: message.targetURI = "\(scheme)://\(authority)"
        }
        return message
    }

    /// Whether a signature is valid; nil for an unsupported algorithm. Assay does not support Ed25519; verifying it
    /// here shows that the signature base is correct.
    private static func isValid(_ signature: [UInt8], over base: [UInt8], key: RecordObject) throws -> Bool? {
        func info() throws -> [UInt8] { try Base64.decode(need(key["spki"]?.text), .standard) }
        switch key["alg"]?.text {
        case "ecdsa-p256-sha256":
            let key = try ECDSAPublicKey(subjectPublicKeyInfo: info()[...])
            return key.isValidSignature(p1363: signature, for: base[...], digest: .sha256)
        case "hmac-sha256":
            let secret = try Base64.decode(need(key["secret"]?.text), .standard)
            return ConstantTime.equals(HMAC.sha256(key: secret, base), signature)
        case "rsa-v1_5-sha256":
            return try RSAPublicKey(subjectPublicKeyInfo: info()[...]).verifyPKCS1SHA256(signature, for: base[...])
        case "ed25519":
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: info().suffix(32))
            return key.isValidSignature(signature, for: base)
        default: return nil
        }
    }

    /// The signature base of every message equals the RFC's, byte for byte, and the signature is valid where the RFC
    /// says so.
    private static var messageBases: TrialSuite {
        TrialSuite(
            "RFC 9421 messages", file: examples,
            exercises: "`SignatureInputField`, `SignatureBase`, `SignatureField`, `ContentDigest`, keys"
        ) {
            let (cases, count) = try part("cases", counted: "messages")
            let keys = try need(examplesRoot()["keys"]?.object)
            var report = SuiteReport(cases: count)
            for test in cases {
                let test = try need(test.object)
                let id = try need(test["id"]?.text)
                let message = try message(test)
                let label = try need(test["label"]?.text)
                let field = try SignatureInputField(need(message.combinedValue(of: "signature-input"))[...])
                let input = try need(field[label])
                let base = try SignatureBase.build(for: input, of: message)
                report.require(
                    String(decoding: base, as: UTF8.self) == test["signatureBase"]?.text, "\(id): another base")
                report.require(input.isCanonical, "\(id) is not canonical")
                if let expected = test["contentDigest"]?.text {
                    let digest = try ContentDigest(need(message.combinedValue(of: "content-digest"))[...])
                    let body = Array(try need(test["body"]?.text).utf8)
                    report.require(
                        (digest.compare(with: body[...]) == .matches) == (expected == "match"), "\(id): the digest")
                }
                let signatures = try SignatureField(need(message.combinedValue(of: "signature"))[...])
                let signature = try need(signatures[label])
                let key = try need(keys[need(test["keyid"]?.text)]?.object)
                if let isValid = try isValid(signature, over: base, key: key) {
                    report.record(id, expected: test["expected"]?.text == "valid", accepted: isValid)
                } else {
                    report.skip(id, "RSASSA-PSS, which nothing here needs; its base is compared all the same")
                }
            }
            return report
        }
    }

    /// The value of every component equals the RFC's. A component without a value is an error.
    private static var components: TrialSuite {
        TrialSuite("RFC 9421 components", file: examples, exercises: "`SignatureComponent`, `SignatureBase`") {
            let (cases, count) = try part("components", counted: "components")
            var report = SuiteReport(cases: count)
            for (index, test) in cases.enumerated() {
                let row = try need(test.array)
                let message = try message(need(row[0].object))
                let identifier = try need(row[1].text)
                let component = try SignatureComponent(StructuredFieldReader.readItem(Array(identifier.utf8)[...]))
                var rules = SignatureBaseRules()
                rules.fieldTypes["example-dict"] = .dictionary
                let value = try? SignatureBase.value(of: component, in: message, rules: rules)
                let id = "\(index): \(identifier)"
                report.record(id, expected: row[2].text != nil, accepted: value != nil)
                report.require(value.map { String(decoding: $0, as: UTF8.self) } == row[2].text, "\(id): another value")
            }
            return report
        }
    }

    /// Content digests match, differ or are ignored as in the RFC, in one piece and in parts.
    private static var contentDigests: TrialSuite {
        TrialSuite("RFC 9530 digests", file: examples, exercises: "`ContentDigest`, `RunningDigest`") {
            let (cases, count) = try part("digests", counted: "digests")
            var report = SuiteReport(cases: count)
            for test in cases {
                let row = try need(test.array).map { try need($0.text) }
                let body = try Base64.decode(row[1], .standard)
                let digest = try ContentDigest(Array(row[2].utf8)[...])
                let comparison = digest.compare(with: body[...])
                report.record("\(row[0]) \(row[2])", expected: row[3] == "match", accepted: comparison == .matches)
                report.require(
                    (comparison == .noKnownAlgorithm) == (row[3] == "unsupported"), "\(row[0]): \(comparison)")
                for cut in body.indices {
                    let inParts = digest.compare { algorithm in
                        var running = RunningDigest(algorithm)
                        running.update(body[..<cut])
                        let rest = body[cut...]
                        running.update(rest.span.bytes)
                        return running.finalize()
                    }
                    report.require(inParts == comparison, "\(row[0]) in parts")
                }
            }
            return report
        }
    }
}
