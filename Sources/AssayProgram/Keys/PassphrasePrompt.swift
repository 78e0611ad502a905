import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// Prompts for a passphrase on the controlling terminal, without echo.
enum PassphrasePrompt {
    private static let limit = 1024

    /// Reads one line; nil if there is no terminal or the line is empty.
    ///
    /// Restores the terminal settings before it returns, and before Ctrl-C ends the program.
    static func read(_ prompt: String) -> SecretBytes? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var saved = termios()
        guard tcgetattr(terminal, &saved) == 0 else { return nil }
        var silent = saved
        // Read signal keys as characters: stopping or killing the process here would leave echo disabled.
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
        withUnsafeMutableBytes(of: &silent.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { return nil }
        write(prompt, to: terminal)
        var line = Line()
        let buffer = SecretBytes(count: limit) { buffer in line.read(from: terminal, into: buffer) }
        tcsetattr(terminal, TCSAFLUSH, &saved)
        write("\n", to: terminal)
        if line.isInterrupted { raise(SIGINT) }
        guard line.count > 0 else { return nil }
        return buffer.withUnsafeBytes { SecretBytes($0[..<line.count]) }
    }

    private static func write(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.write(terminal, $0.baseAddress, $0.count) }
    }

    /// A line being typed, with the editing keys.
    private struct Line {
        private(set) var count = 0
        private(set) var isInterrupted = false

        mutating func read(from terminal: Int32, into buffer: UnsafeMutableRawBufferPointer) {
            var byte: UInt8 = 0
            while true {
                let step = Foundation.read(terminal, &byte, 1)
                if step < 0, errno == EINTR { continue }
                guard step == 1 else { return }
                switch byte {
                case 0x0A, 0x0D, 0x04: return
                case 0x03:
                    isInterrupted = true
                    return
                // Backspace removes one character, which may be several bytes of UTF-8.
                case 0x7F, 0x08:
                    while count > 0 {
                        count -= 1
                        if buffer[count] & 0xC0 != 0x80 { break }
                    }
                case 0x15: count = 0
                default:
                    guard count < buffer.count else { continue }
                    buffer[count] = byte
                    count += 1
                }
            }
        }
    }
}
