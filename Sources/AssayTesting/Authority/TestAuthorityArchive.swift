import FoundationEssentials
import SwiftASN1

extension TestAuthority {
    /// The whole authority as text, to be kept and given to ``init(archive:)``: certificate and private key (PKCS #8)
    /// of the root, of what issues leaves, of what issues receipt signers, and of the receipt signer, in PEM.
    public var archive: String {
        [root, attestationAuthority, receiptAuthority, receiptSigner].map { $0.pem + $0.key.pem }
            .joined(separator: "\n")
    }

    /// Restores an authority from what ``archive`` gave.
    public init(archive: String) throws(MintingError) {
        let documents: [PEMDocument]
        do {
            documents = try PEMDocument.parseMultiple(pemString: archive)
        } catch {
            throw MintingError("no archive of a test authority: \(error)")
        }
        guard documents.count == 8 else {
            throw MintingError("an archive of a test authority has 8 PEM blocks, found \(documents.count)")
        }
        var issuers: [TestIssuer] = []
        for index in stride(from: 0, to: 8, by: 2) {
            issuers.append(
                try TestIssuer(
                    certificate: documents[index].derBytes, key: TestKey(pem: documents[index + 1].pemString)))
        }
        self.init(
            root: issuers[0], attestationAuthority: issuers[1], receiptAuthority: issuers[2], receiptSigner: issuers[3])
    }
}

extension TestIssuer {
    /// Joins a certificate in DER, from which name and serial number are read, and its key.
    public init(certificate: [UInt8], key: TestKey) throws(MintingError) {
        do {
            let fields = try Self.children(of: Self.children(of: DER.parse(certificate)).first)
            guard fields.count >= 7, case .primitive(let serialNumber) = fields[1].content else {
                throw MintingError("a certificate has a serial number and a subject")
            }
            self.init(
                name: try Self.name(fields[5]), issuerName: try Self.name(fields[3]),
                serialNumber: Array(serialNumber), key: key, certificate: certificate)
        } catch {
            throw MintingError("no certificate of a test authority: \(error)")
        }
    }

    private static func name(_ node: ASN1Node) throws -> DistinguishedName {
        DistinguishedName(
            try children(of: node).map { set in
                let attribute = try children(of: children(of: set).first)
                guard attribute.count == 2, case .primitive(let text) = attribute[1].content,
                    let number = try ASN1ObjectIdentifier(derEncoded: attribute[0]).oidComponents.last,
                    let type = DistinguishedName.AttributeType(rawValue: UInt64(number))
                else { throw MintingError("a name has an attribute that test authorities do not use") }
                return DistinguishedName.Attribute(type, String(decoding: text, as: UTF8.self))
            })
    }

    private static func children(of node: ASN1Node?) throws -> [ASN1Node] {
        guard let node, case .constructed(let children) = node.content else {
            throw MintingError("expected a constructed value")
        }
        return Array(children)
    }
}
