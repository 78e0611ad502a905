import AssayCore
import AssayPrimitives

/// A build of an app, as the evidence of a platform states it. The text form is `apple:ABCDE12345.com.example.shop@1.4.2` with App ID
/// and bundle version, or `android:com.example.shop@42` with package name and version code, to which `@` and the SHA-256 of the
/// signing certificate in hexadecimal may be added.
package struct AppBuild: Sendable, Hashable, CustomStringConvertible {
    /// Which evidence states the build.
    package enum Platform: String, Sendable, CaseIterable {
        /// App Attest.
        case apple
        /// Play Integrity and Android Key Attestation.
        case android
    }

    /// Why a text is not a build.
    package struct Problem: Error, CustomStringConvertible {
        /// What was found, and what is allowed.
        package let description: String
    }

    /// Which evidence states the build.
    package let platform: Platform
    /// The App ID, or the package name.
    package let app: String
    /// The bundle version, or the version code.
    package let version: String
    /// SHA-256 of the certificate with which an Android app is signed; nil for any.
    package let certificate: [UInt8]?

    /// The most bytes of a bundle version.
    private static let versionLimit = 64

    /// Checks the parts of a build.
    package init(
        _ platform: Platform, app: String, version: String, certificate: [UInt8]? = nil
    ) throws(Problem) {
        let objection =
            switch platform {
            case .apple: Self.objection(toAppID: app) ?? Self.objection(toBundleVersion: version)
            case .android: PackageName.objection(to: app) ?? Self.objection(toVersionCode: version)
            }
        if let objection { throw Problem(description: objection) }
        if platform == .apple, certificate != nil {
            throw Problem(description: "a build for App Attest has no certificate: the App ID names the team")
        }
        if let certificate, certificate.count != 32 {
            throw Problem(description: "a SHA-256 digest has 32 bytes, found \(certificate.count)")
        }
        self.platform = platform
        self.app = app
        self.version = version
        self.certificate = certificate
    }

    package init(_ text: String) throws(Problem) {
        let allowed = "apple:APP-ID@BUNDLE-VERSION or android:PACKAGE@VERSION-CODE[@CERTIFICATE-SHA256]"
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        let name = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), name.count == 2,
            let platform = Platform.allCases.first(where: { $0.rawValue.isByteEqual(to: name[0]) })
        else { throw Problem(description: "expected \(allowed), found \"\(text.excerpt)\"") }
        var certificate: [UInt8]?
        if parts.count == 3 {
            do { certificate = try CertificateDigestText.decode(parts[2]) } catch {
                throw Problem(description: error.message)
            }
        }
        try self.init(platform, app: name[1], version: parts[1], certificate: certificate)
    }

    package var description: String {
        "\(platform.rawValue):\(app)@\(version)" + (certificate.map { "@\($0.hexadecimal)" } ?? "")
    }

    /// The key by which evidence finds the build: its text without the certificate.
    var key: [UInt8] { Self.key(platform, app, version) }

    static func key(_ platform: Platform, _ app: String, _ version: String) -> [UInt8] {
        Array("\(platform.rawValue):\(app)@\(version)".utf8)
    }

    private static func objection(toAppID text: String) -> String? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isTeam = parts[0].utf8.count == 10 && parts[0].utf8.allSatisfy { isLetterOrDigit($0) }
        let isBundle =
            parts.count == 2 && (1...255).contains(parts[1].utf8.count)
            && parts[1].utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
        return isTeam && isBundle
            ? nil : "an App ID has a team ID of 10 characters, a dot and the bundle ID, found \"\(text.excerpt)\""
    }

    private static func objection(toBundleVersion text: String) -> String? {
        let isVersion =
            (1...versionLimit).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || [0x2B, 0x2D, 0x2E, 0x5F].contains($0) }
        return isVersion
            ? nil
            : "a bundle version (CFBundleVersion) has 1 to \(versionLimit) letters, digits and .-_+, found \"\(text.excerpt)\""
    }

    private static func objection(toVersionCode text: String) -> String? {
        guard let code = Int64(text), code > 0, "\(code)".isByteEqual(to: text) else {
            return "a version code is a whole number from 1 to \(Int64.max), found \"\(text.excerpt)\""
        }
        return nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
