/// The dotted form of object identifiers.
package enum ObjectIdentifierText {
    /// The dotted form of contents octets (X.690 section 8.19); nil for invalid ones, and for components of more than
    /// 63 bits.
    package static func dotted(_ contents: ArraySlice<UInt8>) -> String? {
        guard let last = contents.last, last & 0x80 == 0, contents.count <= 256 else { return nil }
        var components: [UInt64] = []
        var value: UInt64 = 0
        for byte in contents {
            guard value <= UInt64.max >> 8 else { return nil }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 {
                components.append(value)
                value = 0
            }
        }
        guard let first = components.first else { return nil }
        let root = min(first / 40, 2)
        return ([root, first - root * 40] + components.dropFirst()).map(String.init).joined(separator: ".")
    }

    /// The dotted form of an OBJECT IDENTIFIER node; nil for other nodes.
    package static func dotted(_ node: DERNode, in bytes: [UInt8]) -> String? {
        node.isUniversal(6) && node.broken == nil ? dotted(bytes[node.contents]) : nil
    }
}

/// The names of object identifiers in certificates, keys and messages, by dotted form.
package enum ObjectIdentifierNames {
    /// The name; nil if unknown.
    package static func name(of dotted: String) -> String? { names[dotted] }

    /// The short name of an attribute in a distinguished name (RFC 4514 section 3); nil for none.
    package static func attribute(_ dotted: String) -> String? { attributes[dotted] }

    private static let attributes: [String: String] = [
        "2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
        "2.5.4.9": "STREET", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.42": "GN",
        "2.5.4.46": "dnQualifier", "2.5.4.97": "organizationIdentifier", "1.2.840.113549.1.9.1": "emailAddress",
        "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC",
    ]

    private static let names: [String: String] = [
        // X.520 attributes.
        "2.5.4.3": "commonName", "2.5.4.4": "surname", "2.5.4.5": "serialNumber", "2.5.4.6": "countryName",
        "2.5.4.7": "localityName", "2.5.4.8": "stateOrProvinceName", "2.5.4.9": "streetAddress",
        "2.5.4.10": "organizationName", "2.5.4.11": "organizationalUnitName", "2.5.4.12": "title",
        "2.5.4.42": "givenName", "2.5.4.46": "dnQualifier", "2.5.4.97": "organizationIdentifier",
        "0.9.2342.19200300.100.1.1": "userId", "0.9.2342.19200300.100.1.25": "domainComponent",
        // RFC 5280 extensions, access methods, policies and purposes.
        "2.5.29.9": "subjectDirectoryAttributes", "2.5.29.14": "subjectKeyIdentifier", "2.5.29.15": "keyUsage",
        "2.5.29.16": "privateKeyUsagePeriod", "2.5.29.17": "subjectAltName", "2.5.29.18": "issuerAltName",
        "2.5.29.19": "basicConstraints", "2.5.29.20": "cRLNumber", "2.5.29.30": "nameConstraints",
        "2.5.29.31": "cRLDistributionPoints", "2.5.29.32": "certificatePolicies", "2.5.29.32.0": "anyPolicy",
        "2.5.29.33": "policyMappings", "2.5.29.35": "authorityKeyIdentifier", "2.5.29.36": "policyConstraints",
        "2.5.29.37": "extKeyUsage", "2.5.29.37.0": "anyExtendedKeyUsage", "2.5.29.46": "freshestCRL",
        "2.5.29.54": "inhibitAnyPolicy",
        "1.3.6.1.5.5.7.1.1": "authorityInfoAccess", "1.3.6.1.5.5.7.1.11": "subjectInfoAccess",
        "1.3.6.1.5.5.7.2.1": "cps", "1.3.6.1.5.5.7.2.2": "userNotice", "1.3.6.1.5.5.7.3.1": "serverAuth",
        "1.3.6.1.5.5.7.3.2": "clientAuth", "1.3.6.1.5.5.7.3.3": "codeSigning", "1.3.6.1.5.5.7.3.4": "emailProtection",
        "1.3.6.1.5.5.7.3.8": "timeStamping", "1.3.6.1.5.5.7.3.9": "OCSPSigning", "1.3.6.1.5.5.7.48.1": "ocsp",
        "1.3.6.1.5.5.7.48.2": "caIssuers", "1.3.6.1.4.1.11129.2.4.2": "signedCertificateTimestamps",
        // Keys and curves (RFC 3279, 5480, 8410).
        "1.2.840.10045.2.1": "id-ecPublicKey", "1.2.840.10045.3.1.7": "P-256", "1.3.132.0.34": "P-384",
        "1.3.132.0.35": "P-521", "1.3.132.0.10": "secp256k1", "1.2.840.113549.1.1.1": "rsaEncryption",
        "1.3.101.110": "X25519", "1.3.101.111": "X448", "1.3.101.112": "Ed25519", "1.3.101.113": "Ed448",
        "1.2.840.10040.4.1": "id-dsa",
        // Signatures.
        "1.2.840.10045.4.1": "ecdsa-with-SHA1", "1.2.840.10045.4.3.1": "ecdsa-with-SHA224",
        "1.2.840.10045.4.3.2": "ecdsa-with-SHA256", "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
        "1.2.840.10045.4.3.4": "ecdsa-with-SHA512", "1.2.840.113549.1.1.4": "md5WithRSAEncryption",
        "1.2.840.113549.1.1.5": "sha1WithRSAEncryption", "1.2.840.113549.1.1.7": "id-RSAES-OAEP",
        "1.2.840.113549.1.1.8": "id-mgf1", "1.2.840.113549.1.1.10": "id-RSASSA-PSS",
        "1.2.840.113549.1.1.11": "sha256WithRSAEncryption", "1.2.840.113549.1.1.12": "sha384WithRSAEncryption",
        "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
        // Digests and ciphers.
        "1.2.840.113549.2.5": "md5", "1.3.14.3.2.26": "sha1", "2.16.840.1.101.3.4.2.1": "sha256",
        "2.16.840.1.101.3.4.2.2": "sha384", "2.16.840.1.101.3.4.2.3": "sha512", "2.16.840.1.101.3.4.1.2": "aes128-cbc",
        "2.16.840.1.101.3.4.1.42": "aes256-cbc", "1.2.840.113549.1.5.12": "PBKDF2", "1.2.840.113549.1.5.13": "PBES2",
        "1.2.840.113549.2.9": "hmacWithSHA256",
        // PKCS #7, #9 and #12 (RFC 5652, 2985, 7292).
        "1.2.840.113549.1.7.1": "data", "1.2.840.113549.1.7.2": "signedData", "1.2.840.113549.1.7.3": "envelopedData",
        "1.2.840.113549.1.7.5": "digestedData", "1.2.840.113549.1.7.6": "encryptedData",
        "1.2.840.113549.1.9.1": "emailAddress", "1.2.840.113549.1.9.3": "contentType",
        "1.2.840.113549.1.9.4": "messageDigest", "1.2.840.113549.1.9.5": "signingTime",
        "1.2.840.113549.1.9.6": "countersignature", "1.2.840.113549.1.9.14": "extensionRequest",
        "1.2.840.113549.1.9.15": "smimeCapabilities", "1.2.840.113549.1.9.16.2.12": "signingCertificate",
        "1.2.840.113549.1.9.16.2.47": "signingCertificateV2", "1.2.840.113549.1.9.16.2.14": "timeStampToken",
        "1.2.840.113549.1.9.52": "cmsAlgorithmProtection", "1.2.840.113549.1.12.10.1.1": "keyBag",
        // Apple.
        "1.2.840.113635.100.4.24": "Apple App Attest key purpose",
        "1.2.840.113635.100.5.1": "Apple certificate policy",
        "1.2.840.113635.100.6.2.3": "Apple Application Integration CA marker",
        "1.2.840.113635.100.8.2": "Apple App Attest nonce",
        "1.2.840.113635.100.8.5": "Apple App Attest platform and app",
        "1.2.840.113635.100.8.6": "Apple App Attest access control list",
        "1.2.840.113635.100.8.7": "Apple App Attest system versions",
        "1.2.840.113635.100.12.15": "Apple App Attest receipt signing marker",
        // Android.
        "1.3.6.1.4.1.11129.2.1.17": "Android key attestation",
        "1.3.6.1.4.1.11129.2.1.30": "Android key provisioning information",
    ]
}
