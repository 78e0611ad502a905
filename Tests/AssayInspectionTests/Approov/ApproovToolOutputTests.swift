import Approov
import AssayCore
import AssayInspection
import AssayTestSupport
import Foundation
import Testing

@Suite("The output of the vendor's tool")
struct ApproovToolOutputTests {
    private static let secret = (0..<64).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    private static let base64 = Data(secret).base64EncodedString()
    private static let url = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    private static let other = Data(secret.reversed()).base64EncodedString()

    /// The secret in a text, read as a key.
    private static func read(_ text: String) throws(KeyError) -> (keyed: Bool, otherLines: Int) {
        let output = try ApproovToolOutput(SecretBytes(Array(text.utf8)))
        _ = try ApproovKey(parts: ["secret": output.secret])
        let found = output.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let bytes = Data(
            base64Encoded: found.replacing("-", with: "+").replacing("_", with: "/") + "==")
        return (bytes.map(Array.init) == secret, output.otherLines)
    }

    private static func wrapped(_ text: String, at column: Int, by end: String) -> String {
        stride(from: 0, to: text.count, by: column)
            .map { String(text.dropFirst($0).prefix(column)) }.joined(separator: end)
    }

    @Test(
        "The secret is recognised by its form, with any text around it",
        arguments: [
            (base64, 0), ("\(base64)\n", 0), ("  \"\(base64)\"\r\n", 0), (url, 0), ("'\(url)'\n", 0),
            ("\u{FEFF}\(base64)", 0),
            ("$ approov secret admin.tok -get\n\(base64)\n", 1),
            ("WARNING: updating\nYES\nnew Approov token secret is \(base64)\n", 2),
            ("SECRET=\(base64)\n", 0), ("secret:\(base64)", 0), ("\(base64)\n\n\(base64)\n", 1),
            ("new Approov token secret is \(wrapped(base64, at: 52, by: "\n"))\nbye\n", 1),
            (wrapped(base64, at: 76, by: "\r\n"), 0), (wrapped(base64, at: 20, by: "  \n  "), 0),
            (wrapped(base64, at: 86, by: "\n"), 0), (wrapped(base64, at: 87, by: "\n"), 0),
        ])
    func found(text: String, otherLines: Int) throws {
        let found = try Self.read(text)
        #expect(found.keyed)
        #expect(found.otherLines == otherLines)
    }

    @Test(
        "Output without a secret, or with two, is refused and not shown",
        arguments: [
            ("", "missing"), ("Error: the token has expired\n", "missing"), (String(base64.dropLast(3)), "missing"),
            ("new Approov token secret is \(base64.prefix(11))…\n", "missing"), ("\(base64)A", "missing"),
            ("\(base64).", "missing"), (".\(base64)", "missing"), ("é\(base64)", "missing"),
            ("\(base64)\n\(other)\n", "ambiguous"), ("\(base64) \(other)", "ambiguous"),
            (String(repeating: "a", count: 86), "missing"), (String(repeating: "0a", count: 64), "missing"),
            // Parts on one line are two words, not one that was wrapped.
            ("\(base64.prefix(40)) \(base64.dropFirst(40))", "missing"),
            ("\(base64.prefix(40))\n\n\(base64.dropFirst(40))", "missing"),
        ])
    func refused(text: String, code: String) throws {
        let error = #expect(throws: KeyError.self) { try Self.read(text) }
        #expect(error?.code == code, "\(error?.message ?? "")")
        for start in stride(from: 0, to: 80, by: 8) {
            #expect(error?.message.contains(Self.base64.dropFirst(start).prefix(8)) == false)
        }
    }

    @Test("UTF-16, as PowerShell writes it, is named in the error")
    func wide() {
        let bytes: [UInt8] = [0xFF, 0xFE] + Self.base64.utf8.flatMap { [$0, 0] }
        let error = #expect(throws: KeyError.self) { try ApproovToolOutput(SecretBytes(bytes)) }
        #expect(error?.message.contains("UTF-16") == true)
    }

    @Test("A text of 64 KiB is read in linear time")
    func long() {
        for text in [String(repeating: "A\n", count: 32_768), String(repeating: "Ab1+", count: 16_384)] {
            let time = ProcessorTime.measure {
                #expect(throws: KeyError.self) { try ApproovToolOutput(SecretBytes(Array(text.utf8))) }
            }
            // Linear time takes less than a second, even on slow machines; quadratic time takes minutes.
            #expect(time < .seconds(10) * Sanitizer.slowdown)
        }
    }
}
