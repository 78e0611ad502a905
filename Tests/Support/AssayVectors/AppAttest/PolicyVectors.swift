import AssayTesting

/// Genuine attestations that a strict policy rejects.
extension AppAttestVectorMint {
    /// What the policy of these vectors demands besides.
    static let strictRules = """
              minimumOSVersion: "17.0"
              maximumCertificateAge: 2d
              minimumBundleVersion: "1.2"
              validationCategories: [appStore, testFlight]
        checks:
          app-attest.attestation.receipt: enforce
          app-attest.attestation.validation-category: enforce
          app-attest.attestation.bundle-version: enforce
          app-attest.attestation.os-version: enforce
          app-attest.attestation.platform: enforce
          app-attest.assertion.client-data: enforce
          app-attest.assertion.validation-category: enforce
          app-attest.assertion.bundle-version: enforce

        """

    /// The files of attestations that only this policy rejects.
    var strictAttestations: [VectorDraft] {
        [
            VectorDraft("strict/attestation-validation-category.json", strictAttestationValidationCategory),
            VectorDraft("strict/attestation-versions.json", strictAttestationVersions),
            VectorDraft("strict/attestation-certificate-age.json", strictAttestationCertificateAge),
        ]
    }

    private func category(_ id: String, _ value: CBORItem, _ outcome: VectorOutcome) -> VectorCase {
        attestation("category-\(id)", outcome, device: .iOS27) { $0.setExtensions { $0.validationCategory = value } }
    }

    var strictAttestationValidationCategory: [VectorCase] {
        let numbers: [(UInt32, VectorOutcome)] = [
            (2, .accept), (4, .accept),
        ]
        let refused: [UInt32] = [0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 255, 0x0400_0000, .max]
        return (numbers + refused.map { ($0, .reject("validation-category")) }).map {
            category(String($0.0), AppAttestExtensions.littleEndian($0.0), $0.1)
        } + [
            category("integer-4", .unsigned(4), .accept),
            category("integer-0", .unsigned(0), .reject("validation-category")),
            category("integer-beyond-32-bits", .unsigned(1 << 32 | 4), .reject("validation-category")),
            category("negative", .integer(-4), .reject("validation-category")),
            category("of-0-bytes", .bytes([]), .reject("validation-category")),
            category("of-1-byte", .bytes([4]), .reject("validation-category")),
            category("of-3-bytes", .bytes([4, 0, 0]), .reject("validation-category")),
            category("of-5-bytes", .bytes([4, 0, 0, 0, 0]), .reject("validation-category")),
            category("big-endian", .bytes([0, 0, 0, 4]), .reject("validation-category")),
            category("text", .text("4"), .reject("validation-category")),
            category("array", .array([.unsigned(4)]), .reject("validation-category")),
        ]
    }

    var strictAttestationVersions: [VectorCase] {
        func bundle(_ version: String, _ outcome: VectorOutcome) -> VectorCase {
            attestation("bundle-version-\(version)", outcome, device: .iOS27) {
                $0.setExtensions { $0.bundleVersion = .text(version) }
            }
        }
        func system(_ version: String, _ outcome: VectorOutcome) -> VectorCase {
            var device = AppAttestDevice.iOS27
            device.systemVersion = version
            return attestation("system-version-\(version)", outcome, device: device)
        }
        return [
            bundle("1.2", .accept), bundle("1.2.1", .accept), bundle("1.10", .accept), bundle("10", .accept),
            bundle("1.1.9", .reject("bundle-version")), bundle("1.1", .reject("bundle-version")),
            bundle("0.99", .reject("bundle-version")),
            attestation("bundle-version-as-bytes", .reject("bundle-version"), device: .iOS27) {
                $0.setExtensions { $0.bundleVersion = .bytes(Array("1.2".utf8)) }
            },
            system("17.0", .accept), system("17.0.1", .accept), system("100.0", .accept),
            system("16.7.10", .reject("os-version")), system("9.3", .reject("os-version")),
            system("2.0", .reject("os-version")),
            attestation("system-version-missing", .reject("os-version"), device: .iOS27) {
                $0.leaf.descriptions = [
                    .appAttestKeyUsage, .appAttestPlatform(.iOS, appID: Self.appID),
                ]
            },
        ]
    }

    /// The certificate begins a day before it is issued, and is valid for two days after that.
    private var strictAttestationCertificateAge: [VectorCase] {
        [
            attestation("certificate-age-at-the-limit", .accept, delay: 86_400),
            attestation("certificate-age-a-second-more", .reject("certificate-age"), delay: 86_401),
        ]
    }

    var attestationPlatform: [VectorCase] {
        [
            attestation("macos-without-access-control-list", .reject("platform"), device: .macOS27) {
                $0.leaf.others = []
            },
            attestation("macos-with-access-control-list-of-ios", .reject("platform"), device: .macOS27) {
                $0.leaf.others = [.appAttestACL(AppAttestPlatform.iOS.acl)]
            },
            attestation("macos-with-access-control-list-cut-short", .reject("platform"), device: .macOS27) {
                $0.leaf.others = [.appAttestACL(Array(AppAttestPlatform.macOS.acl.dropLast()))]
            },
            attestation("macos-with-empty-access-control-list", .reject("platform"), device: .macOS27) {
                $0.leaf.others = [.appAttestACL([])]
            },
        ]
    }
}
