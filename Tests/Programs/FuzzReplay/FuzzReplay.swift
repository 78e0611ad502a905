import AssayFuzzTargets
import Foundation

/// `FuzzReplay TARGET FILE...`: runs a target of the fuzzer over files, without the fuzzer.
///
/// Writes a dot after each input, so that whoever counts them knows which one ended the process. `FuzzReplay TARGET
/// --frames FILE` runs it over the inputs of one file, each behind its length of four bytes, the highest first.
@main
struct FuzzReplay {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let target = FuzzTarget.all.first(where: { $0.name == arguments[0] }) else {
            FileHandle.standardError.write(Data("usage: FuzzReplay TARGET FILE...\n".utf8))
            exit(64)
        }
        let inputs =
            arguments[1] == "--frames"
            ? frames(of: try bytes(of: arguments[2])) : try arguments.dropFirst().map { try bytes(of: $0) }
        // An input that a target never ends with shall fail a test, and a test cannot be interrupted while it waits.
        alarm(900)
        for input in inputs {
            target.run(input)
            FileHandle.standardOutput.write(Data([UInt8(ascii: ".")]))
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func frames(of bytes: [UInt8]) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            frames.append(Array(rest.dropFirst(4).prefix(count)))
            rest = rest.dropFirst(4 + count)
        }
        return frames
    }
}
