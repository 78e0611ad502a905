import AssayInspection
import AssayPrimitives
import Foundation
import Testing

/// The files are written as pyaxml, apksigtool and Python's zipfile write and read them.
@Suite("Files of apps")
struct AppFileTests {
    private typealias Fixtures = AppFileFixtures

    private static func read(_ bytes: [UInt8]) throws(AppFileProblem) -> AppFile {
        try AppFile(reading: AppFileBytes(count: bytes.count) { Array(bytes[$0..<($0 + $1)]) })
    }

    @Test("The manifest of an .apk names package and version code, in each form of binary XML")
    func apk() throws {
        for (manifest, version) in [
            (Fixtures.manifest(), "42"), (Fixtures.manifest(isUTF8: true), "42"),
            (Fixtures.manifest(code: 0xFFFF_FFFF, type: 0x11), "4294967295"),
            (Fixtures.manifest(major: 1), "4294967338"),
        ] {
            for isDeflated in [true, false] {
                let file = try Self.read(
                    Fixtures.zip([
                        .init("classes.dex", [1, 2, 3]), .init("AndroidManifest.xml", manifest, isDeflated: isDeflated),
                    ]))
                #expect(file.form == .apk && file.identifier == "com.example.shop" && file.version == version)
                #expect(file.certificateDigests.isEmpty && file.team == nil)
            }
        }
    }

    @Test("The certificates of the schemes v2 and v3 are read, each once, and other parts of the block passed over")
    func certificates() throws {
        let (first, second) = (Array("first".utf8), Array("second".utf8))
        let block = Fixtures.signingBlock([
            (0x4272_6577, [9]), (0x7109_871A, first), (Int(0xF053_68C0), first), (0x1B93_AD61, second),
        ])
        let file = try Self.read(Fixtures.zip([.init("AndroidManifest.xml", Fixtures.manifest())], block: block))
        #expect(file.certificateDigests == [Digest.sha256(first), Digest.sha256(second)])
        // No .apk has so many signers, and each is compared with all others.
        let many = (0...32).map { (scheme: 0x7109_871A, certificate: [UInt8($0)]) }
        let crowded = Fixtures.zip(
            [.init("AndroidManifest.xml", Fixtures.manifest())], block: Fixtures.signingBlock(many))
        #expect(throws: AppFileProblem.self) { try Self.read(crowded) }
    }

    @Test("The manifest of an .aab names package and version code")
    func bundle() throws {
        let file = try Self.read(
            Fixtures.zip([.init("base/manifest/AndroidManifest.xml", Fixtures.bundleManifest(), isDeflated: true)]))
        #expect(file.form == .bundle && file.identifier == "com.example.shop" && file.version == "42")
    }

    @Test(
        "Info.plist of an .ipa names bundle ID and version, and the provisioning profile the team",
        arguments: ["ABCDE12345", nil])
    func ipa(team: String?) throws {
        let file = try Self.read(Fixtures.ipa(team: team))
        #expect(file.form == .ipa && file.identifier == "com.example.shop" && file.version == "1.4.2")
        #expect(file.team == team)
    }

    @Test("A file that gives no build is refused with what was found")
    func refusals() throws {
        let manifest = Fixtures.manifest()
        func apk(_ contents: [UInt8], statedSize: Int? = nil, isDeflated: Bool = false) -> [UInt8] {
            Fixtures.zip([.init("AndroidManifest.xml", contents, isDeflated: isDeflated, statedSize: statedSize)])
        }
        var zip64 = apk(manifest)
        zip64.replaceSubrange((zip64.count - 6)..<(zip64.count - 2), with: [0xFF, 0xFF, 0xFF, 0xFF])
        var large = apk(manifest)
        large.replaceSubrange((large.count - 10)..<(large.count - 6), with: [0, 0, 0, 0x7F])
        let cases: [([UInt8], String)] = [
            ([], "no zip archive"), (Array("hello".utf8), "no zip archive"), (zip64, "zip64"),
            (large, "at most 33554432"),
            (Fixtures.zip([.init("a.txt", [1])]), "neither AndroidManifest.xml"),
            (
                Fixtures.zip([.init("AndroidManifest.xml", manifest), .init("AndroidManifest.xml", manifest)]),
                "2 entries"
            ),
            // A small stream that states a large length, and one that is longer than it states.
            (apk(manifest, statedSize: 1 << 30), "at most 16777216"),
            (apk(manifest, statedSize: 10, isDeflated: true), "another length"),
            (apk(Array("<manifest/>".utf8)), "no binary XML"),
            (apk(Fixtures.manifest(package: nil)), "no package name"),
            (apk(Fixtures.manifest(code: nil)), "no versionCode"), (apk(Fixtures.manifest(type: 3)), "no number"),
            (
                Fixtures.zip([.init("base/manifest/AndroidManifest.xml", Fixtures.bundleManifest(code: "next"))]),
                "no number"
            ),
            (Fixtures.zip([.init("base/manifest/AndroidManifest.xml", [0xFF])]), "no message of aapt2"),
            (Fixtures.zip([.init("Payload/A.app/Info.plist", [1])]), "property list"),
            (Fixtures.zip([.init("Payload/A.app/Info.plist", Fixtures.propertyList(""))]), "no CFBundleIdentifier"),
        ]
        for (bytes, words) in cases {
            let problem = #expect(throws: AppFileProblem.self, "\(words)") { try Self.read(bytes) }
            #expect(problem?.description.contains(words) == true, "\(words): \(problem?.description ?? "")")
        }
    }

    /// A damaged file must not end the program.
    @Test("Every truncation and every damaged byte of a file gives a build or a problem")
    func damage() throws {
        let block = Fixtures.signingBlock([(0x7109_871A, [1, 2, 3])])
        for file in [
            Fixtures.zip([.init("AndroidManifest.xml", Fixtures.manifest(major: 1))], block: block),
            Fixtures.zip([.init("AndroidManifest.xml", Fixtures.manifest(isUTF8: true), isDeflated: true)]),
            Fixtures.zip([.init("base/manifest/AndroidManifest.xml", Fixtures.bundleManifest())]), Fixtures.ipa(),
        ] {
            #expect(throws: Never.self) { try Self.read(file) }
            for index in file.indices {
                _ = try? Self.read(Array(file[..<index]))
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] where file[index] != value {
                    var damaged = file
                    damaged[index] = value
                    _ = try? Self.read(damaged)
                }
            }
        }
    }
}
