import AssayTestSupport
import Foundation
import Testing

/// Keys in files with mode 0600.
enum TestKeys {
    static let decryption = Data((0..<32).map { UInt8($0) ^ 0x5A })
    static let master = Data((0..<32).map { UInt8($0) ^ 0xC3 })
    static let passphrase = "open sesame, please"

    /// Every encoding in which a secret could be printed.
    static func forms(_ secret: Data) -> [String] {
        let base64 = secret.base64EncodedString()
        let hex = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let url = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        // A half of the secret is already too much.
        return [base64, url, hex, hex.uppercased()].map { String($0.prefix(20)) }
    }
}

extension Scratch {
    /// Writes a file with mode 0600.
    @discardableResult
    func writeSecret(_ name: String, _ contents: String, mode: Int = 0o600) throws -> String {
        let path = try write(name, Data(contents.utf8))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Writes a master key `m`, a decryption key `d` and a verification key `v`. Returns the options for `d` and `v`.
    @discardableResult
    func writeKeys() throws -> [String] {
        try writeSecret("m", TestKeys.master.base64EncodedString() + "\n")
        try writeSecret("d", TestKeys.decryption.base64EncodedString() + "\n")
        let made = try shell(
            "openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -outform DER 2>/dev/null | base64 -w0 >v"
        )
        try #require(made.status == 0)
        return ["--decryption-key", "file:d", "--verification-key", "file:v"]
    }
}
