import AssayCore
import AssayPrimitives
import AssayTestSupport
import Crypto
import Testing

/// The examples of RFC 9421 and RFC 9530.
@Suite("Third-party suite: HTTP message signatures", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct HTTPSignatureSuites {
    private static let file = "suites/httpsig/rfc9421_9530.json"

    private static func root() throws -> RecordObject {
        try JSONReader.readObject(Array(SharedFiles.data(file)), limit: 16 << 20)
    }

    /// The message that a start line and fields describe.
    private static func message(_ description: RecordObject) throws -> HTTPMessageParts {
        let start = try #require(description["start"]?.text)
        let fields = try #require(description["headers"]?.array).map { line in
            let pair = try #require(line.array).map { try #require($0.text) }
            return HTTPMessageParts.Field(pair[0], pair[1])
        }
        let words = start.split(separator: " ", maxSplits: 2).map(String.init)
        if start.hasPrefix("HTTP/") {
            return HTTPMessageParts(
                status: try #require(Int(words[1])), fields: fields,
                to: try description["request"]?.object.map(message))
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

    /// Whether a signature is valid, and nil for an algorithm that is not here.
    private static func isValid(_ signature: [UInt8], over base: [UInt8], key: RecordObject) throws -> Bool? {
        func info() throws -> [UInt8] { try Base64.decode(#require(key["spki"]?.text), .standard) }
        switch key["alg"]?.text {
        case "ecdsa-p256-sha256":
            let key = try ECDSAPublicKey(subjectPublicKeyInfo: info()[...])
            return key.isValidSignature(p1363: signature, for: base[...], digest: .sha256)
        case "hmac-sha256":
            let secret = try Base64.decode(#require(key["secret"]?.text), .standard)
            return ConstantTime.equals(HMAC.sha256(key: secret, base), signature)
        case "rsa-v1_5-sha256":
            return try RSAPublicKey(subjectPublicKeyInfo: info()[...]).verifyPKCS1SHA256(signature, for: base[...])
        case "ed25519":
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: info().suffix(32))
            return key.isValidSignature(signature, for: base)
        default: return nil
        }
    }

    @Test("The base of every message is the RFC's, byte for byte, and its signature verifies as the RFC says")
    func messages() throws {
        let root = try Self.root()
        let keys = try #require(root["keys"]?.object)
        var (count, verified) = (0, 0)
        for test in try #require(root["cases"]?.array) {
            let test = try #require(test.object)
            let id = try #require(test["id"]?.text)
            let message = try Self.message(test)
            let label = try #require(test["label"]?.text)
            let field = try SignatureInputField(#require(message.combinedValue(of: "signature-input"))[...])
            let input = try #require(field[label])
            let base = try SignatureBase.build(for: input, of: message)
            #expect(String(decoding: base, as: UTF8.self) == test["signatureBase"]?.text, "\(id)")
            #expect(input.isCanonical, "\(id)")
            count += 1
            let signatures = try SignatureField(#require(message.combinedValue(of: "signature"))[...])
            let signature = try #require(signatures[label])
            let keyID = try #require(test["keyid"]?.text)
            let key = try #require(keys[keyID]?.object)
            if let isValid = try Self.isValid(signature, over: base, key: key) {
                #expect(isValid == (test["expected"]?.text == "valid"), "\(id)")
                verified += 1
            }
            if let expected = test["contentDigest"]?.text {
                let digest = try ContentDigest(#require(message.combinedValue(of: "content-digest"))[...])
                let body = Array(try #require(test["body"]?.text).utf8)
                #expect((digest.compare(with: body[...]) == .matches) == (expected == "match"), "\(id)")
            }
        }
        // All but those with RSASSA-PSS, which nothing here needs.
        #expect(count == 21)
        #expect(verified == 16)
    }

    @Test("The value of every component is the RFC's, and what has none is an error")
    func components() throws {
        let cases = try #require(Self.root()["components"]?.array)
        for test in cases {
            let row = try #require(test.array)
            let message = try Self.message(#require(row[0].object))
            let identifier = try #require(row[1].text)
            let component = try SignatureComponent(StructuredFieldReader.readItem(Array(identifier.utf8)[...]))
            var rules = SignatureBaseRules()
            rules.fieldTypes["example-dict"] = .dictionary
            let value = try? SignatureBase.value(of: component, in: message, rules: rules)
            #expect(value.map { String(decoding: $0, as: UTF8.self) } == row[2].text, "\(identifier)")
        }
        #expect(cases.count == 35)
    }

    @Test("Content digests match, differ and are ignored as the RFC says, whole and in parts")
    func digests() throws {
        let cases = try #require(Self.root()["digests"]?.array)
        for test in cases {
            let row = try #require(test.array).map { try #require($0.text) }
            let body = try Base64.decode(row[1], .standard)
            let digest = try ContentDigest(Array(row[2].utf8)[...])
            let comparison = digest.compare(with: body[...])
            switch row[3] {
            case "match": #expect(comparison == .matches, "\(row[0])")
            case "unsupported": #expect(comparison == .noKnownAlgorithm, "\(row[0])")
            default:
                guard case .differs = comparison else {
                    Issue.record("\(row[0]): \(comparison)")
                    continue
                }
            }
            for cut in body.indices {
                let inParts = digest.compare { algorithm in
                    var running = RunningDigest(algorithm)
                    running.update(body[..<cut])
                    let rest = body[cut...]
                    running.update(rest.span.bytes)
                    return running.finalize()
                }
                #expect(inParts == comparison, "\(row[0])")
            }
        }
        #expect(cases.count == 12)
    }
}
