extension Certificate {
    /// The values of the extensions that RFC 5280 defines. Unused ones get a syntax check only: two readers of a
    /// certificate can then not disagree about them.
    struct KnownExtensions {
        private(set) var basicConstraints: BasicConstraints?
        private(set) var keyUsage: KeyUsage?
        private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
        private(set) var subjectKeyIdentifier: ArraySlice<UInt8>?

        mutating func read(_ found: Extension, hasEmptySubject: Bool) throws(DecodeError) {
            // Every identifier below is an id-ce of three bytes.
            guard found.oid.contents.count == 3 else { return }
            do {
                try readCertificateExtension(found, hasEmptySubject: hasEmptySubject)
            } catch {
                throw error.within("extensions.\(found.oid)")
            }
        }

        private mutating func readCertificateExtension(
            _ found: Extension, hasEmptySubject: Bool
        ) throws(DecodeError) {
            switch found.oid {
            case .basicConstraints: basicConstraints = try BasicConstraints(found.value)
            case .keyUsage: keyUsage = try KeyUsage(found.value)
            case .authorityKeyIdentifier: authorityKeyIdentifier = try AuthorityKeyIdentifier(found.value)
            case .subjectKeyIdentifier:
                subjectKeyIdentifier = try DERReader.single(.octetString, in: found.value).octetString()
            case .subjectAltName:
                try GeneralNames.check(DERReader.single(.sequence, in: found.value))
                guard found.isCritical || !hasEmptySubject else {
                    // RFC 5280 section 4.2.1.6.
                    throw DecodeError(
                        .unexpectedValue, at: found.value.startIndex, "must be critical when the subject is empty")
                }
            case .extendedKeyUsage: try ExtensionSyntax.checkExtendedKeyUsage(found.value)
            case .certificatePolicies: try ExtensionSyntax.checkCertificatePolicies(found.value)
            case .policyConstraints: try ExtensionSyntax.checkPolicyConstraints(found.value)
            case .nameConstraints: try ExtensionSyntax.checkNameConstraints(found.value)
            default: break
            }
        }
    }
}
