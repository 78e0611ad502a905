import Foundation

/// The build in the file of an app: an .apk or .aab of Android, or an .ipa of Apple. Nothing in it is verified.
package struct AppFile: Sendable, Equatable {
    package enum Form: String, Sendable {
        case apk = ".apk"
        /// An Android app bundle, which Google Play signs and splits.
        case bundle = ".aab"
        case ipa = ".ipa"
    }

    package let form: Form
    /// The package name, or the bundle ID.
    package let identifier: String
    /// The version code, or the bundle version (`CFBundleVersion`).
    package let version: String
    /// The team ID in the provisioning profile of an .ipa; nil without one.
    package let team: String?
    /// SHA-256 of the certificates with which an .apk is signed, by the schemes v2 and v3.
    package let certificateDigests: [[UInt8]]

    /// Reads the parts of a file that name the build.
    package init(reading file: AppFileBytes) throws(AppFileProblem) {
        let archive = try ZipArchive(file)
        if let entry = try archive.entry("AndroidManifest.xml") {
            let manifest = try BinaryManifestReader.read(archive.contents(of: entry))
            self.init(.apk, manifest, try APKSigningBlock.certificateDigests(archive))
        } else if let entry = try archive.entry("base/manifest/AndroidManifest.xml") {
            self.init(.bundle, try BundleManifestReader.read(archive.contents(of: entry)), [])
        } else {
            try self.init(ipa: archive)
        }
    }

    private init(_ form: Form, _ manifest: AndroidManifest, _ certificateDigests: [[UInt8]]) {
        self.form = form
        identifier = manifest.package
        version = "\(manifest.versionCode)"
        team = nil
        self.certificateDigests = certificateDigests
    }

    private init(ipa archive: ZipArchive) throws(AppFileProblem) {
        let infos = archive.entries.filter { entry in
            let parts = entry.name.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 3 && parts[0] == "Payload" && parts[1].hasSuffix(".app") && parts[2] == "Info.plist"
        }
        guard infos.count == 1 else {
            throw AppFileProblem(
                "the archive has neither AndroidManifest.xml, as an .apk, nor base/manifest/AndroidManifest.xml, as an .aab, nor "
                    + "one Payload/NAME.app/Info.plist, as an .ipa; found \(infos.count)")
        }
        let info: Info = try Self.propertyList(archive.contents(of: infos[0]), "Info.plist")
        form = .ipa
        identifier = info.CFBundleIdentifier
        version = info.CFBundleVersion
        let folder = infos[0].name.dropLast("Info.plist".count)
        team = try archive.entry("\(folder)embedded.mobileprovision").flatMap { (entry) throws(AppFileProblem) in
            try Self.team(ofProfile: archive.contents(of: entry))
        }
        certificateDigests = []
    }

    /// The team ID in a provisioning profile: a property list in XML, inside a signed message (CMS) that is not verified.
    private static func team(ofProfile bytes: [UInt8]) throws(AppFileProblem) -> String? {
        let data = Data(bytes)
        guard let start = data.range(of: Data("<?xml".utf8))?.lowerBound,
            let end = data.range(of: Data("</plist>".utf8), in: start..<data.endIndex)?.upperBound
        else { throw AppFileProblem("embedded.mobileprovision contains no property list") }
        let profile: Profile = try propertyList(Array(data[start..<end]), "embedded.mobileprovision")
        return profile.TeamIdentifier?.first
    }

    private struct Info: Decodable {
        let CFBundleIdentifier, CFBundleVersion: String
    }

    private struct Profile: Decodable {
        let TeamIdentifier: [String]?
    }

    private static func propertyList<List: Decodable>(
        _ bytes: [UInt8], _ name: String
    ) throws(AppFileProblem) -> List {
        do { return try PropertyListDecoder().decode(List.self, from: Data(bytes)) } catch DecodingError.keyNotFound(
            let key, _)
        {
            throw AppFileProblem("\(name) has no \(key.stringValue)")
        } catch {
            throw AppFileProblem("\(name) cannot be read as a property list")
        }
    }
}
