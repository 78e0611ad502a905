import Foundation

/// Files of apps, written by hand.
enum AppFileFixtures {
    struct Entry {
        let name: String
        var contents: [UInt8]
        var isDeflated = false
        /// The length that the archive states; nil for the right one.
        var statedSize: Int?

        init(_ name: String, _ contents: [UInt8], isDeflated: Bool = false, statedSize: Int? = nil) {
            self.name = name
            self.contents = contents
            self.isDeflated = isDeflated
            self.statedSize = statedSize
        }
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A zip archive.
    ///
    /// - Parameter block: bytes in front of the central directory.
    static func zip(_ entries: [Entry], block: [UInt8] = []) -> [UInt8] {
        var (file, directory): ([UInt8], [UInt8]) = ([], [])
        for entry in entries {
            // A stored block of deflate has its length, and the complement of it.
            let count = entry.contents.count
            let data =
                entry.isDeflated ? [1] + little(count, 2) + little(~count, 2) + entry.contents : entry.contents
            let name = Array(entry.name.utf8)
            let common =
                little(20, 2) + little(0, 2) + little(entry.isDeflated ? 8 : 0, 2) + little(0, 8)
                + little(data.count, 4)
                + little(entry.statedSize ?? count, 4) + little(name.count, 2)
            directory +=
                [0x50, 0x4B, 1, 2] + little(20, 2) + common + little(0, 2) + little(0, 10) + little(file.count, 4)
                + name
            file += [0x50, 0x4B, 3, 4] + common + little(0, 2) + name + data
        }
        let offset = file.count + block.count
        return file + block + directory + [0x50, 0x4B, 5, 6] + little(0, 4) + little(entries.count, 2)
            + little(entries.count, 2) + little(directory.count, 4) + little(offset, 4) + little(0, 2)
    }

    /// Binary XML with the element `manifest`.
    static func manifest(
        package: String? = "com.example.shop", code: Int? = 42, major: Int? = nil, isUTF8: Bool = false,
        type: Int = 0x10
    ) -> [UInt8] {
        let texts = ["versionCode", "versionCodeMajor", "package", package ?? "", "manifest"]
        var (offsets, data): ([UInt8], [UInt8]) = ([], [])
        for text in texts {
            offsets += little(data.count, 4)
            let (utf8, utf16) = (Array(text.utf8), Array(text.utf16))
            data +=
                isUTF8
                ? [UInt8(utf16.count), UInt8(utf8.count)] + utf8 + [0]
                : little(utf16.count, 2) + utf16.flatMap { little(Int($0), 2) } + [0, 0]
        }
        while data.count % 4 != 0 { data.append(0) }
        func chunk(_ type: Int, _ header: [UInt8], _ body: [UInt8]) -> [UInt8] {
            little(type, 2) + little(8 + header.count, 2) + little(8 + header.count + body.count, 4) + header + body
        }
        let pool = chunk(
            0x0001,
            little(texts.count, 4) + little(0, 4) + little(isUTF8 ? 0x100 : 0, 4) + little(28 + offsets.count, 4)
                + little(0, 4), offsets + data)
        let map = chunk(0x0180, [], little(0x0101_021B, 4) + little(0x0101_0576, 4))
        func attribute(_ name: Int, _ type: Int, _ value: Int) -> [UInt8] {
            little(-1, 4) + little(name, 4) + little(-1, 4) + little(8, 2) + [0, UInt8(type)] + little(value, 4)
        }
        let attributes =
            [
                code.map { attribute(0, type, $0) }, major.map { attribute(1, type, $0) },
                package.map { _ in attribute(2, 3, 3) },
            ]
            .compactMap { $0 }
        let element = chunk(
            0x0102, little(1, 4) + little(-1, 4),
            little(-1, 4) + little(4, 4) + little(20, 2) + little(20, 2) + little(attributes.count, 2) + little(0, 6)
                + attributes.flatMap { $0 })
        return chunk(0x0003, [], pool + map + element)
    }

    /// The signing block of an .apk: certificates by the ID of their scheme.
    static func signingBlock(_ signers: [(scheme: Int, certificate: [UInt8])]) -> [UInt8] {
        func part(_ bytes: [UInt8]) -> [UInt8] { little(bytes.count, 4) + bytes }
        let pairs = signers.flatMap { scheme, certificate in
            let signer = part(part([1, 2, 3]) + part(part(certificate)) + part([])) + part([]) + part([])
            let value = part(part(signer))
            return little(value.count + 4, 8) + little(scheme, 4) + value
        }
        let size = little(pairs.count + 24, 8)
        return size + pairs + size + Array("APK Sig Block 42".utf8)
    }

    /// The manifest of a bundle in Protocol Buffers.
    static func bundleManifest(package: String = "com.example.shop", code: String = "42") -> [UInt8] {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        let versionCode =
            field(1, Array("http://android".utf8)) + field(2, Array("versionCode".utf8)) + field(3, Array(code.utf8))
            + [5 << 3, 0x9B, 0x84, 0x84, 0x08]
        let name = field(2, Array("package".utf8)) + field(3, Array(package.utf8))
        return field(1, field(3, Array("manifest".utf8)) + field(4, versionCode) + field(4, name))
    }

    static func propertyList(_ members: String) -> [UInt8] {
        Array("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(members)</dict></plist>".utf8)
    }

    static func ipa(team: String? = "ABCDE12345", version: String = "1.4.2") -> [UInt8] {
        let info = propertyList(
            "<key>CFBundleIdentifier</key><string>com.example.shop</string><key>CFBundleVersion</key><string>\(version)</string>"
        )
        let profile = team.map { team in
            [0x30, 0x80] + propertyList("<key>TeamIdentifier</key><array><string>\(team)</string></array>") + [0, 0]
        }
        return zip(
            [
                Entry("Payload/Shop.app/Frameworks/A.framework/Info.plist", [1]),
                Entry("Payload/Shop.app/Info.plist", info, isDeflated: true),
            ] + (profile.map { [Entry("Payload/Shop.app/embedded.mobileprovision", $0)] } ?? []))
    }
}
