import AssayTestSupport
import Foundation

/// Digests in the forms that users of the command line pass.
enum Digests {
    /// SHA-256 in hexadecimal digits.
    static func sha256Hex(_ bytes: [UInt8]) throws -> String {
        let scratch = try Scratch()
        try scratch.write("data", bytes)
        return try String(scratch.shell("sha256sum data").output.prefix(64))
    }
}
