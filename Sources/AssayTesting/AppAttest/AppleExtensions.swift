extension CertificateExtension {
    /// The extension that binds an App Attest leaf to its nonce: SEQUENCE { [1] OCTET STRING }.
    package static func appAttestNonce(_ nonce: [UInt8], tag: Int = 1) -> CertificateExtension {
        CertificateExtension(
            OID.apple(8, 2), value: DERBuilder.sequence(DERBuilder.context(tag, DERBuilder.octetString(nonce))))
    }

    /// The extended key usage of App Attest leaves since April 2026.
    package static let appAttestKeyUsage = extendedKeyUsage(OID.apple(4, 24))

    /// The extension that names the platform and the app.
    package static func appAttestPlatform(
        _ platform: AppAttestPlatform, appID: String, form: AppAttestSystemForm = .full
    ) -> CertificateExtension {
        func integer(_ tag: Int, _ value: UInt64) -> [UInt8] {
            DERBuilder.context(tag, DERBuilder.integer(value))
        }
        var contents = integer(4, platform.number) + (1200...1203).flatMap { integer($0, 0) }
        contents += DERBuilder.context(1204, DERBuilder.octetString(appID))
        if form != .full { contents += DERBuilder.context(5, DERBuilder.octetString("sks ")) }
        contents += integer(1206, 4) + [1207, 1209, 1210].flatMap { integer($0, 0) }
        if form != .version { contents += integer(1211, 0) }
        if form == .full { contents += integer(10, 0) }
        return CertificateExtension(OID.apple(8, 5), value: DERBuilder.element(0x30, contents))
    }

    /// The extension that names the operating system: version `26.2`, build `23C55`, train `23.3.55.0.0,0`.
    package static func appAttestSystem(
        _ platform: AppAttestPlatform, version: String, build: String, train: String, form: AppAttestSystemForm
    ) -> CertificateExtension {
        func text(_ tag: Int, _ value: String) -> [UInt8] {
            DERBuilder.context(tag, DERBuilder.octetString(value))
        }
        func integer(_ tag: Int, _ value: UInt64) -> [UInt8] {
            DERBuilder.context(tag, DERBuilder.integer(value))
        }
        var contents = text(1400, version)
        switch form {
        case .version:
            break
        case .build:
            contents += integer(1104, 0xFFFF_FFFF) + text(1403, build) + text(1405, version)
            contents += integer(1406, 0) + text(1420, train)
        case .full:
            contents += integer(1104, 2) + text(1401, "1.0.216") + text(1403, build)
            contents += text(1404, version) + text(1405, version)
            contents += (1406...1411).flatMap { integer($0, 0) } + integer(1412, 1) + integer(1413, 0)
            contents += (1418...1420).flatMap { text($0, train) } + text(1026, platform.systemName)
        }
        return CertificateExtension(OID.apple(8, 7), value: DERBuilder.element(0x30, contents))
    }

    /// The extension with the access control list of the key.
    package static func appAttestACL(_ acl: [UInt8]) -> CertificateExtension {
        CertificateExtension(
            OID.apple(8, 6), value: DERBuilder.sequence(DERBuilder.context(3, DERBuilder.octetString(acl))))
    }
}

/// The parts in the extensions that name platform and operating system. Apple extended them over the years.
package enum AppAttestSystemForm: Sendable {
    /// The version alone, as on iOS 14.
    case version
    /// Version, build and build train, as on iOS 17.
    case build
    /// All parts, as on iOS 26 and later.
    case full
}

/// The platform that a leaf's extensions name.
package struct AppAttestPlatform: Sendable {
    /// The number in extension 1.2.840.113635.100.8.5.
    package var number: UInt64
    /// The name in extension 1.2.840.113635.100.8.7.
    package var systemName: String
    /// The access control list of a key in extension 1.2.840.113635.100.8.6.
    package var acl: [UInt8]

    /// An iPhone or iPad.
    package static let iOS = AppAttestPlatform(
        number: 10, systemName: "iphoneos", acl: acl(["okd", "oa", "osgn", "odel", "ock"].map(allowed)))
    /// A Mac. Apple documents this access control list, and a server has to compare it.
    package static let macOS = AppAttestPlatform(
        number: 13, systemName: "macosx",
        acl: acl(
            ["ok", "oa", "odel"].map(allowed) + [
                DERBuilder.sequence(
                    DERBuilder.utf8String("osgn"), DERBuilder.context(0, DERBuilder.utf8String("rsec")),
                    DERBuilder.sequence(DERBuilder.context(6, DERBuilder.integer(1))))
            ]))

    private static func acl(_ entries: [[UInt8]]) -> [UInt8] {
        DERBuilder.sequence(DERBuilder.utf8String("11"), DERBuilder.element(0x30, entries.flatMap { $0 }))
    }

    private static func allowed(_ operation: String) -> [UInt8] {
        DERBuilder.sequence(DERBuilder.utf8String(operation), DERBuilder.context(1, DERBuilder.boolean(true)))
    }
}
