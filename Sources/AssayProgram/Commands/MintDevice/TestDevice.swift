import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A test device and its authority. Their keys derive from one seed in a file.
struct TestDevice {
    /// 32 random bytes, hexadecimal.
    let seed: String
    /// The creation time of the device.
    let createdAt: Date

    /// Creates a device.
    init(createdAt: Date) {
        seed = (0..<32).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        self.createdAt = createdAt
    }

    /// Reads a device file.
    init(path: String) throws(CommandFailure) {
        do {
            let object = try JSONReader.readObject(Array(try Data(contentsOf: URL(filePath: path))), limit: 4096)
            let fields = RecordFields(object, path: "")
            try fields.requireOnly(["testDeviceSeed", "createdAt"])
            guard let seed = try fields.text("testDeviceSeed"), seed.utf8.count == 64,
                let time = try fields.text("createdAt").flatMap(RFC3339.parse)
            else { throw CommandFailure(.unreadable, "") }
            (self.seed, createdAt) = (seed, time)
        } catch {
            // Do not show the reader's error: it may quote the seed.
            throw CommandFailure(
                .unreadable,
                "\(path) is no file of a test device; `assay mint app-attest device` or `android-key device` makes one")
        }
    }

    /// The contents of the file.
    var text: String {
        var object = JSONObject()
        object.add("testDeviceSeed", text: seed)
        object.add("createdAt", text: RFC3339.format(createdAt))
        return object.text + "\n"
    }

    /// The key of the device.
    var key: AttestedKey { AttestedKey(seed: seed, label: "device") }

    /// The authority. It becomes valid two days before the device is created.
    func authority() throws(MintingError) -> TestAuthority {
        try TestAuthority(seed: seed, notBefore: createdAt.addingTimeInterval(-2 * 86_400))
    }
}
