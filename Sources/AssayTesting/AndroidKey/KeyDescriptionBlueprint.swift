/// A KeyDescription to encode: the extension 1.3.6.1.4.1.11129.2.1.17 of an attested key's certificate.
package struct KeyDescriptionBlueprint: Sendable {
    /// The version: 1 to 4, 100, 200, 300, 400, 500.
    package var attestationVersion: UInt64
    /// 0 software, 1 trusted environment, 2 StrongBox.
    package var attestationSecurityLevel: UInt8
    /// The version of Keymaster or KeyMint.
    package var keyMintVersion: UInt64
    /// The level of Keymaster or KeyMint.
    package var keyMintSecurityLevel: UInt8
    package var attestationChallenge: [UInt8]
    /// The unique identifier: empty in genuine descriptions of apps.
    package var uniqueID: [UInt8] = []
    /// What the operating system enforces.
    package var softwareEnforced = AuthorizationListBlueprint()
    /// What the secure hardware enforces.
    package var hardwareEnforced = AuthorizationListBlueprint()
    /// A change to the eight encoded fields.
    package var changeFields: (@Sendable (_ fields: [[UInt8]]) -> [[UInt8]])?
    /// A last change to the encoded description.
    package var changeEncoded: (@Sendable ([UInt8]) -> [UInt8])?

    /// Creates a description without authorizations, with equal levels and the usual version of Keymaster or KeyMint.
    package init(version: UInt64, securityLevel: UInt8, challenge: [UInt8]) {
        attestationVersion = version
        keyMintVersion =
            switch version {
            case 1...3: version + 1
            case 4: 41
            default: version
            }
        (attestationSecurityLevel, keyMintSecurityLevel) = (securityLevel, securityLevel)
        attestationChallenge = challenge
    }

    package var encoded: [UInt8] {
        let fields = [
            DERBuilder.integer(attestationVersion), DERBuilder.element(0x0A, [attestationSecurityLevel]),
            DERBuilder.integer(keyMintVersion), DERBuilder.element(0x0A, [keyMintSecurityLevel]),
            DERBuilder.octetString(attestationChallenge), DERBuilder.octetString(uniqueID),
            softwareEnforced.encoded, hardwareEnforced.encoded,
        ]
        let changed = changeFields.map { $0(fields) } ?? fields
        let description = DERBuilder.element(0x30, changed.flatMap { $0 })
        return changeEncoded.map { $0(description) } ?? description
    }
}

/// A RootOfTrust to encode.
package struct RootOfTrustBlueprint: Sendable, Equatable {
    /// SHA-256 of the key that verified the system, or zeros.
    package var verifiedBootKey: [UInt8]
    /// The octet of the BOOLEAN: 0xFF locked, 0x00 unlocked. StrongBox of Pixel 3 writes 0x01 for locked.
    package var deviceLocked: UInt8
    /// 0 verified, 1 self-signed, 2 unverified, 3 failed.
    package var verifiedBootState: UInt8
    /// The digest of the boot image; nil for none, as in versions 1 and 2.
    package var verifiedBootHash: [UInt8]?

    package init(
        verifiedBootKey: [UInt8], deviceLocked: UInt8 = 0xFF, verifiedBootState: UInt8 = 0, verifiedBootHash: [UInt8]?
    ) {
        (self.verifiedBootKey, self.deviceLocked) = (verifiedBootKey, deviceLocked)
        (self.verifiedBootState, self.verifiedBootHash) = (verifiedBootState, verifiedBootHash)
    }

    /// The encoded fields.
    package var fields: [[UInt8]] {
        [
            DERBuilder.octetString(verifiedBootKey), DERBuilder.element(0x01, [deviceLocked]),
            DERBuilder.element(0x0A, [verifiedBootState]),
        ] + (verifiedBootHash.map { [DERBuilder.octetString($0)] } ?? [])
    }

    /// The encoded SEQUENCE.
    package var encoded: [UInt8] { DERBuilder.element(0x30, fields.flatMap { $0 }) }
}

/// An AttestationApplicationId to encode.
package struct ApplicationIDBlueprint: Sendable, Equatable {
    /// The packages that share the application's UID.
    package var packages: [Package]
    /// SHA-256 of each signing certificate.
    package var digests: [[UInt8]]

    package struct Package: Sendable, Equatable {
        /// The package name in UTF-8.
        package var name: [UInt8]
        /// The version code.
        package var version: UInt64

        package init(_ name: String, version: UInt64) {
            (self.name, self.version) = (Array(name.utf8), version)
        }
    }

    package init(packages: [Package], digests: [[UInt8]]) {
        (self.packages, self.digests) = (packages, digests)
    }

    /// The encoded SEQUENCE.
    package var encoded: [UInt8] {
        DERBuilder.sequence(
            DERBuilder.element(
                0x31,
                packages.flatMap {
                    DERBuilder.sequence(DERBuilder.octetString($0.name), DERBuilder.integer($0.version))
                }),
            DERBuilder.element(0x31, digests.flatMap { DERBuilder.octetString($0) }))
    }
}
