import Crypto
import Foundation
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The bytes of Assay's page on signing requests, and what the kit refuses to sign.
struct SigningTests {
    private func order(_ url: String = "https://api.example.com/v1/orders?id=7") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"amount":42}"#.utf8)
        return request
    }

    /// The example of the page, byte for byte.
    @Test func example() throws {
        let prepared = try PreparedRequest(order())
        let fields = try SignatureFields(
            prepared.request, digest: prepared.digest, created: 1_789_992_000, nonce: nil,
            keyID: "FkYeE0Cu9QtWgTcV7yEqTadg0f8T8kw6tECwwOlAQ8A=")
        #expect(
            fields.base == """
                "@method": POST
                "@target-uri": https://api.example.com/v1/orders?id=7
                "content-digest": sha-256=:8m4mfuAzMf9c4QtoehuhqbSQEv+ydpTJIuF0EbS4bmw=:
                "@signature-params": ("@method" "@target-uri" "content-digest");created=1789992000;keyid="FkYeE0Cu9QtWgTcV7yEqTadg0f8T8kw6tECwwOlAQ8A=";tag="app-attest"
                """)
        #expect(
            fields.clientDataHash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                == "a32770f6a2e950c7c37cc6abc2295a84d128717044c507a6b5e9254c6da086cb")
        var signed = prepared.request
        fields.write(into: &signed, assertion: Data([1, 2, 3]))
        #expect(
            signed.value(forHTTPHeaderField: "Content-Digest")
                == "sha-256=:8m4mfuAzMf9c4QtoehuhqbSQEv+ydpTJIuF0EbS4bmw=:")
        #expect(
            signed.value(forHTTPHeaderField: "Signature-Input")
                == #"assay=("@method" "@target-uri" "content-digest");created=1789992000;keyid="FkYeE0Cu9QtWgTcV7yEqTadg0f8T8kw6tECwwOlAQ8A=";tag="app-attest""#
        )
        #expect(signed.value(forHTTPHeaderField: "Signature") == "assay=:AQID:")
    }

    /// A nonce stands between `created` and `keyid`; a covered field before the digest; without a body there is no digest.
    @Test func otherParameters() throws {
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com")))
        request.setValue(" Bearer x ", forHTTPHeaderField: "Authorization")
        let prepared = try PreparedRequest(request)
        let fields = try SignatureFields(
            prepared.request, digest: prepared.digest, covering: ["authorization"], created: 1, nonce: "n", keyID: "k")
        #expect(
            fields.base == """
                "@method": GET
                "@target-uri": https://api.example.com/
                "authorization": Bearer x
                "@signature-params": ("@method" "@target-uri" "authorization");created=1;nonce="n";keyid="k";tag="app-attest"
                """)
        #expect(throws: AssayClientError.self) {
            try SignatureFields(
                prepared.request, digest: nil, covering: ["accept"], created: 1, nonce: nil, keyID: "k")
        }
    }

    /// What is signed is what goes over the wire.
    @Test(arguments: [
        ("https://API.Example.com", "https://api.example.com/"), ("HTTPS://a.example:443/x", "https://a.example/x"),
        ("https://a.example:8443/x#part", "https://a.example:8443/x"),
        ("https://a.example?q=1", "https://a.example/?q=1"),
        ("http://localhost:80/x", "http://localhost/x"),
        ("https://a.example/a%2Fb//c;d?x=%20", "https://a.example/a%2Fb//c;d?x=%20"),
        ("https://a.example/?", "https://a.example/?"), ("https://[::1]:8443/", "https://[::1]:8443/"),
    ])
    func target(_ written: String, _ sent: String) throws {
        #expect(try RequestTarget.normalised(URL(string: written)).absoluteString == sent)
    }

    /// A file has the digest of its content; an empty one none.
    @Test func files() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let content = Data((0..<200_000).map { UInt8($0 & 0xff) })
        try content.write(to: file)
        var request = try order()
        request.httpBody = nil
        #expect(try PreparedRequest(request, file: file).digest == Data(SHA256.hash(data: content)))
        try Data().write(to: file)
        #expect(try PreparedRequest(request, file: file).digest == nil)
        #expect(throws: AssayClientError.self) { try PreparedRequest(order(), file: file) }
        #expect(throws: AssayClientError.self) {
            try PreparedRequest(request, file: file.appendingPathComponent("none"))
        }
    }

    /// Requests whose signed form would differ from the sent one, with the code and a word of the sentence.
    @Test(arguments: [
        ("https://user@a.example/", "user"), ("https://a.example/a/../b", "segment"), ("http://a.example/", "http"),
        ("ftp://a.example/", "scheme"), ("/relative", "scheme"),
    ])
    func refused(_ url: String, _ word: String) throws {
        let error = #expect(throws: AssayClientError.self) { try PreparedRequest(order(url)) }
        #expect(error?.code == .request)
        #expect(error?.message.contains(word) == true)
    }

    /// A stream can be read once only, so it is not digested.
    @Test func stream() throws {
        var request = try order()
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data([1]))
        let error = #expect(throws: AssayClientError.self) { try PreparedRequest(request) }
        #expect(error?.message.contains("stream") == true)
    }
}
