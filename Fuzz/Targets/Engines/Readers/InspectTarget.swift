import Assay
import AssayInspection
import AssayTesting

extension FuzzTarget {
    /// Inspection of any bytes.
    static let inspect = FuzzTarget(
        name: "inspect", maximumLength: 8192,
        dictionary: [
            "-----BEGIN CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\n", "eyJhbGciOiJIUzI1NiJ9.", "HTTP/1.1\r\n",
            "Transfer-Encoding: chunked\r\n", "Approov-Token: ", "DECRYPTION_KEY=", "\"tokenPayloadExternal\":{}",
            "\"sip\":",
            "\\xa3", "&#43;", "=3D", "=\r\n", "(byte)", "0000000 ", "\\u002f", "apple-appattest",
            "Signature-Input: install=(\"@method\")", "assay-capture-private:",
        ],
        seeds: {
            MintedRecords.all + [
                Array(AppleMint.authority.rootPEM.utf8), AppleMint.authority.rootCertificate,
                AppleMint.signed(AppleMint.receipt(of: [0x30, 0x00], riskMetric: 1).encoded),
                Array(
                    "GET /a?b=c HTTP/1.1\r\nHost: a\r\nApproov-Token: \(String(repeating: "a", count: 20))\r\n\r\n".utf8
                ),
                Array("00000000  30 00 30 00  |0.0.|\n*\n00000008\n".utf8), Array("0000000 30 00\n0000002\n".utf8),
                Array(AppleMint.deviceSigner.key.pem.utf8), ApproovMint.token(ApproovMint.claims.encoded),
            ]
        },
        run: { input in
            let layer = Verifier.inspector.inspect(input, name: "blob")
            if let problem = problem(layer) { broken(problem) }
            guard layer.bytes == input else { broken("other bytes are shown") }
            for inner in layers(layer) {
                _ = Verifier.inspector.kind(of: inner)
                _ = Verifier.inspector.record(of: inner)
            }
            return layer.format != nil
        })

    private static func layers(_ layer: InspectionLayer) -> [InspectionLayer] {
        [layer] + layer.nested.flatMap { layers($0) }
    }

    /// Every range lies in the bytes, and the range of a part in that of its parent. No secret is shown. Every error
    /// points into the input.
    private static func problem(_ layer: InspectionLayer) -> String? {
        for annotation in layer.annotations {
            if let problem = problem(annotation, in: layer.bytes.indices, layer) { return problem }
        }
        for secret in layer.secrets where !isWithin(secret, layer.bytes.indices) {
            return "\(layer.name): the secret \(secret) lies outside of \(layer.bytes.count) bytes"
        }
        if let violation = layer.violation, !(0...layer.bytes.count).contains(violation.offset) {
            return "\(layer.name): the violation stands at \(violation.offset) of \(layer.bytes.count) bytes"
        }
        return layer.nested.lazy.compactMap { problem($0) }.first
    }

    private static func problem(_ annotation: Annotation, in outer: Range<Int>, _ layer: InspectionLayer) -> String? {
        let range = annotation.range ?? outer
        guard isWithin(range, outer) else { return "\(annotation.name) at \(range) lies outside of \(outer)" }
        guard !annotation.name.isEmpty else { return "an annotation of \(layer.name) has no name" }
        return annotation.children.lazy.compactMap { problem($0, in: range, layer) }.first
    }

    private static func isWithin(_ range: Range<Int>, _ outer: Range<Int>) -> Bool {
        range.lowerBound >= outer.lowerBound && range.upperBound <= outer.upperBound
    }
}
