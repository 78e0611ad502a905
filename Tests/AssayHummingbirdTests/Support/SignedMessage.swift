import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// A request signed with the installation key of an app.
struct SignedMessage {
    var method = "POST"
    var path = "/orders?a=%41&b=1"
    var origin = "https://api.example.com"
    var body: [UInt8] = []
    var algorithm = ContentDigest.Algorithm.sha256
    var coversDigest = true
    /// The digested bytes, if not the body.
    var digestOf: [UInt8]?
    /// The covered value of `Cookie`, which is not among the fields.
    var cookie: String?

    /// The fields of the request without `Host` and the length.
    func fields() throws -> [(String, String)] {
        let key = Base64.encode(TestAPI.installation.subjectPublicKeyInfo(), .standard)
        let token = try TestAPI.token([JSONItem.Member("ipk", .text(key))])
        var components = [("@method", method), ("@target-uri", origin + path), ("approov-token", token)]
        var fields = [("Approov-Token", token)]
        if !body.isEmpty || digestOf != nil {
            let digest = algorithm.digest(of: (digestOf ?? body)[...])
            let value = "\(algorithm.rawValue)=:\(Base64.encode(digest, .standard)):"
            fields.append(("Content-Digest", value))
            if coversDigest { components.append(("content-digest", value)) }
        }
        if let cookie { components.append(("cookie", cookie)) }
        let created = Int(TestAPI.now.timeIntervalSince1970) - 2
        let parameters =
            "(" + components.map { "\"\($0.0)\"" }.joined(separator: " ")
            + ");alg=\"ecdsa-p256-sha256\";created=\(created);expires=\(created + 15)"
        let base =
            components.map { "\"\($0.0)\": \($0.1)\n" }.joined() + "\"@signature-params\": \(parameters)"
        let signature = try TestAPI.installation.signature(over: Array(base.utf8)).concatenated
        fields.append(("Signature-Input", "install=\(parameters)"))
        fields.append(("Signature", "install=:\(Base64.encode(signature, .standard)):"))
        return fields
    }

    /// The head of the request as it goes over the wire, with further lines such as `Content-Length: 3`.
    func head(_ more: String..., host: String = "api.example.com") throws -> String {
        let lines = try fields().map { "\($0.0): \($0.1)" }
        return (["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + lines + more)
            .joined(separator: "\r\n") + "\r\n\r\n"
    }
}
