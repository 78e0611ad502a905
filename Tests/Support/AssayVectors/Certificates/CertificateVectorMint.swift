import Assay
import AssayCore
package import AssayPrimitives
package import AssayTesting
package import FoundationEssentials

/// The shared inputs of the vectors of certificates: an app, and hosts with their certificates. Each vector has its own key, whose signed
/// request carries the certificate.
package struct CertificateVectorMint {
    static let app = "vectors"
    static let appID = "1234567890.com.example.vectors"
    static let host = "api.example.com"
    static let pinnedHost = "pinned.example.com"
    static let issuerHost = "issuer.example.com"
    static let skippedHost = "dev.example.com"
    static let fetchedHost = "fetched.example.com"

    let seed: String
    let time: Date
    let authority: TestAuthority
    /// The issuer of the hosts' certificates.
    private let root: TestIssuer
    /// The present leaf, and the one after it.
    let (leaf, nextLeaf): ([UInt8], [UInt8])
    /// The certificate of a proxy with the name of the host.
    let proxyLeaf: [UInt8]
    /// The present key in another certificate.
    let renewedLeaf: [UInt8]
    /// A leaf with a DNS name: that of the host whose issuer is pinned, a wildcard over it, and that of another host.
    let (namedLeaf, wildcardLeaf, otherLeaf): ([UInt8], [UInt8], [UInt8])

    package init(seed: String, time: Date) throws(MintingError) {
        self.seed = seed
        self.time = time
        let notBefore = time.addingTimeInterval(-30 * 86_400)
        authority = try TestAuthority(seed: seed, notBefore: notBefore)
        func issuer(_ name: String) throws(MintingError) -> TestIssuer {
            try TestIssuer.selfSigned(
                name: DistinguishedName([.init(.commonName, name)]), key: TestKey(.p256, seed: seed, label: name),
                notBefore: notBefore, notAfter: notBefore.addingTimeInterval(3650 * 86_400))
        }
        func leaf(
            _ issuer: TestIssuer, _ label: String, days: Double = 90, dnsName: String? = nil
        ) throws(MintingError) -> [UInt8] {
            // dNSName is [2] in the SEQUENCE of a subjectAltName.
            let names = dnsName.map { name in
                CertificateExtension(
                    [2, 5, 29, 17], value: DERBuilder.element(0x30, DERBuilder.element(0x82, Array(name.utf8))))
            }
            return try issuer.issue(
                name: DistinguishedName([.init(.commonName, Self.host)]), key: TestKey(.p256, seed: seed, label: label),
                notBefore: notBefore, notAfter: notBefore.addingTimeInterval(days * 86_400),
                extensions: [.basicConstraints(isCA: false), .keyUsage(0x80)] + (names.map { [$0] } ?? [])
            ).certificate
        }
        root = try issuer("Hosts CA")
        self.leaf = try leaf(root, "leaf")
        nextLeaf = try leaf(root, "next leaf")
        renewedLeaf = try leaf(root, "leaf", days: 180)
        proxyLeaf = try leaf(issuer("Proxy CA"), "proxy")
        namedLeaf = try leaf(root, "named", dnsName: Self.issuerHost)
        wildcardLeaf = try leaf(root, "wildcard", dnsName: "*.example.com")
        otherLeaf = try leaf(root, "other", dnsName: "proxy.example.org")
    }

    var rootCertificate: [UInt8] { root.certificate }

    static func pin(_ der: [UInt8]) throws -> [UInt8] {
        Digest.sha256(try Certificate(der: der[...]).subjectPublicKeyInfo)
    }

    /// The policy of the vectors.
    func policy() throws(MintingError) -> String {
        let (leafPin, rootPin): (String, String)
        do {
            (leafPin, rootPin) = (try Self.pin(leaf).hexadecimal, try Self.pin(rootCertificate).hexadecimal)
        } catch { throw MintingError("no certificate: \(error)") }
        return """
            # Minted with the vectors beside it; test-root.pem is trusted here and nowhere else.
            version: 1
            apps:
              - name: \(Self.app)
                appAttest:
                  appIDs: [\(Self.appID)]
                  environments: [production]
                  challenge: caller
                  clientData: none
                  testRoots: ["file:test-root.pem"]
                  requests: {}
                certificates:
                  hosts:
                    \(Self.host): { leaves: [\(Digest.sha256(leaf).hexadecimal), "file:next-leaf.pem"] }
                    \(Self.pinnedHost): { compare: pin, pins: [\(leafPin)] }
                    \(Self.issuerHost): { compare: pin, pins: [\(rootPin)] }
                    \(Self.skippedHost): { skip: yes }
                    \(Self.fetchedHost): { fetch: yes }
              - name: other
                approov: { format: jws }

            """
    }

    /// The certificate after the present one, in PEM.
    var nextLeafPEM: String {
        let text = Base64.encode(nextLeaf, .standard)
        return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }

    func challenge(_ id: String) -> String { Base64.encode(Digest.sha256(Array("challenge for \(id)".utf8)), .url) }

    /// A record whose evidence covers what the app saw.
    ///
    /// - Parameters:
    ///   - covered: what the evidence covers in place of that; nil for the same.
    ///   - failed: the checks that fail, without their prefix.
    ///   - change: a last change to the evidence of the record.
    package func record(
        _ id: String, host: String? = nil, chain: [[UInt8]]? = nil, covered: [UInt8]? = nil,
        failed: [String] = [], prefix: String = "mitm.certificate",
        change: @escaping (inout [(String, RecordValue.Content)]) -> Void = { _ in }
    ) -> VectorCase {
        {
            let (host, chain) = (host ?? Self.host, chain ?? [leaf])
            let seen = SeenCertificate(host: host, chain: chain, challenge: challenge(id))
            let derived =
                covered
                ?? SeenCertificate.evidenceChallenge(seen.challenge, host: host, leaf: chain.first ?? [])
            let key = AttestedKey(seed: seed, label: id)
            let request = try SignedRequestBlueprint(
                method: "GET", targetURI: "https://\(Self.host)/",
                evidence: .assertion(key, appID: Self.appID, counter: 1),
                nonce: Base64.encode(derived, .url), createdAt: time
            ).mint()
            let supplied = RecordObject([("publicKey", .base64(key.publicPoint)), ("counter", .number("0"))])
            let carrying = request.record(
                id: id, app: Self.app, receivedAt: time, with: [("key", .object(supplied))], expect: nil)
            let record = EvidenceRecord(seen, carriedBy: carrying)
            var members = record.evidence.members.map { ($0.name, $0.value.content) }
            change(&members)
            return EvidenceRecord(
                id: id, kind: record.kind, app: Self.app, receivedAt: time, evidence: RecordObject(members),
                expect: VectorOutcome(failed: failed).expectation(prefix))
        }
    }

    /// What the fetched host presented when the record was captured.
    func presented(_ leaves: [UInt8]...) -> (inout [(String, RecordValue.Content)]) -> Void {
        { members in
            let list = leaves.map { leaf in
                let pin = (try? Self.pin(leaf)) ?? []
                return RecordValue(
                    .object(RecordObject([("leaf", .base64(Digest.sha256(leaf))), ("pin", .base64(pin))])), offset: 0)
            }
            members.append(("presented", .array(list)))
        }
    }

    /// A text of the evidence replaced.
    func replacing(_ name: String, by text: String) -> (inout [(String, RecordValue.Content)]) -> Void {
        { members in members = members.map { $0.0 == name ? (name, .text(text)) : $0 } }
    }
}
