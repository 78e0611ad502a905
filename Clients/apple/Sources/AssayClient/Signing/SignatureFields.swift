import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The fields of a signed request (RFC 9421, RFC 9530), as Assay's page on signing requests has them.
struct SignatureFields {
    /// `sha-256=:...:`; nil without a body.
    let contentDigest: String?
    /// The covered components and the parameters.
    let parameters: String
    /// What the assertion covers: lines with LF between them.
    let base: String

    /// What `generateAssertion` gets.
    var clientDataHash: Data { base.sha256 }

    /// - Parameters:
    ///   - request: the final request; its URL is normalised.
    ///   - digest: SHA-256 of the body; nil without one.
    ///   - fields: names of further fields to cover, in lower case.
    ///   - created: seconds since 1970 by the server's clock.
    ///   - nonce: a challenge of the server, base64url; nil if the policy asks for none.
    ///   - keyID: as `generateKey` returned it.
    init(
        _ request: URLRequest, digest: Data?, covering fields: [String] = [], created: Int, nonce: String?,
        keyID: String
    ) throws(AssayClientError) {
        guard let target = request.url?.absoluteString else {
            throw AssayClientError(.request, "the request has no URL")
        }
        var lines = [("@method", request.httpMethod ?? "GET"), ("@target-uri", target)]
        for field in fields {
            guard let value = request.value(forHTTPHeaderField: field),
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f })
            else { throw AssayClientError(.request, "the field `\(field)` is not there, or not printable ASCII") }
            lines.append((field, value.trimmingCharacters(in: .whitespaces)))
        }
        let contentDigest = digest.map { "sha-256=:\($0.base64EncodedString()):" }
        if let contentDigest { lines.append(("content-digest", contentDigest)) }
        var parameters = "(" + lines.map { "\"\($0.0)\"" }.joined(separator: " ") + ");created=\(created)"
        if let nonce { parameters += ";nonce=\"\(nonce)\"" }
        parameters += ";keyid=\"\(keyID)\";tag=\"app-attest\""
        lines.append(("@signature-params", parameters))
        self.contentDigest = contentDigest
        self.parameters = parameters
        base = lines.map { "\"\($0.0)\": \($0.1)" }.joined(separator: "\n")
    }

    /// Writes the fields into the request, in place of those of an earlier signature.
    func write(into request: inout URLRequest, assertion: Data) {
        request.setValue(contentDigest, forHTTPHeaderField: "Content-Digest")
        request.setValue("assay=" + parameters, forHTTPHeaderField: "Signature-Input")
        request.setValue("assay=:" + assertion.base64EncodedString() + ":", forHTTPHeaderField: "Signature")
    }
}

extension URLRequest {
    /// Whether a second copy does no more than the first.
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(httpMethod ?? "GET") }
}

/// A request whose URL, method and body can be signed.
struct PreparedRequest: Sendable {
    var request: URLRequest
    let file: URL?
    /// SHA-256 of the body; nil without one.
    let digest: Data?

    /// Normalises the URL and digests the body.
    ///
    /// - Parameters:
    ///   - request: as the app made it.
    ///   - file: the body of an upload; nil if the request has its body as data or none.
    init(_ request: URLRequest, file: URL? = nil) throws(AssayClientError) {
        var request = request
        let url = try RequestTarget.normalised(request.url)
        guard RequestTarget.isProtected(url) else {
            throw AssayClientError(.request, "the URL is http and not of this machine: use https")
        }
        request.url = url
        let method = request.httpMethod ?? "GET"
        guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5a).contains($0) || $0 == 0x2d }) else {
            throw AssayClientError(.request, "the method `\(method)` has other characters than A to Z and `-`")
        }
        guard request.httpBodyStream == nil else {
            throw AssayClientError(
                .request,
                "the body is a stream, which can be read only once: set `httpBody`, or write it to a file and use `upload`"
            )
        }
        (self.file, self.request) = (file, request)
        guard let file else {
            digest = request.httpBody.flatMap { $0.isEmpty ? nil : $0.sha256 }
            return
        }
        guard request.httpBody == nil else {
            throw AssayClientError(.request, "the request has a body beside the file: leave `httpBody` nil")
        }
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var hash = SHA256()
            var length = 0
            while let part = try handle.read(upToCount: 1 << 16), !part.isEmpty {
                hash.update(data: part)
                length += part.count
            }
            digest = length == 0 ? nil : Data(hash.finalize())
        } catch {
            throw AssayClientError(.request, "the file of the upload cannot be read: check that it exists")
        }
    }
}
