import Foundation
import Testing

/// A test phone remembers its app and its counter, as a phone does.
@Suite("The file of a test device")
struct MintDeviceTests {
    private static let appID = "1234567890.com.example.shop"

    private func scratch(_ options: String..., file: String = "device.json") throws -> Scratch {
        let scratch = try Scratch()
        let made = try scratch.run(["mint", "app-attest", "device", file, "--root", "root.pem"] + options)
        #expect(made.status == 0, "\(made.errors)")
        return scratch
    }

    private func assert(_ scratch: Scratch, file: String = "device.json", _ options: String...) throws -> Run {
        try scratch.run(["mint", "app-attest", "assertion", "--device", file] + options)
    }

    /// The counter of the record that a run has printed.
    private func counter(_ run: Run) throws -> Int {
        let id = try #require(try run.json().first?["id"] as? String, "\(run.errors)")
        return try #require(Int(id.drop { $0 != "-" }.dropFirst()))
    }

    private func text(_ scratch: Scratch, _ name: String = "device.json") throws -> String {
        try String(contentsOfFile: scratch.path(name), encoding: .utf8)
    }

    @Test("Each assertion and each request has the next counter; a given one wins, and the next follows it")
    func counters() throws {
        let scratch = try scratch("--app-id", Self.appID)
        #expect(try counter(assert(scratch)) == 1)
        let request = try scratch.run([
            "mint", "app-attest", "request", "--device", "device.json", "--target-uri", "https://api.example.com/",
        ])
        #expect(try counter(request) == 2)
        #expect(try counter(assert(scratch, "--counter", "9")) == 9)
        #expect(try counter(assert(scratch)) == 10)
        // A replay on purpose: the device does not go back.
        #expect(try counter(assert(scratch, "--counter", "3")) == 3)
        #expect(try counter(assert(scratch)) == 11)
        #expect(try counter(assert(scratch, "--counter", "4294967295")) == 4_294_967_295)
        let end = try assert(scratch)
        #expect(end.status == 64 && end.output.isEmpty && end.errors.contains("the counter is at its end"), "\(end)")
    }

    @Test("The first App ID is kept; a later one wins for its own command")
    func apps() throws {
        let scratch = try scratch()
        let none = try assert(scratch)
        #expect(none.status == 64 && none.errors.contains("give --app-id once"), "\(none)")
        let first = try assert(scratch, "--app-id", Self.appID)
        #expect(first.status == 0, "\(first)")
        #expect(try assert(scratch, "--app-id", "1234567890.com.example.other").status == 0)
        #expect(try assert(scratch).status == 0)
        let kept = try text(scratch)
        #expect(kept.contains("\"appID\":\"\(Self.appID)\"") && !kept.contains("other"), "\(kept)")
        // No counter was used up for lack of an App ID.
        #expect(kept.contains("\"counter\":3"), "\(kept)")
    }

    @Test("An Android device keeps package and digest, and nothing of a digest that is none")
    func packages() throws {
        let scratch = try Scratch()
        let digest = String(repeating: "6a", count: 32)
        #expect(try scratch.run(["mint", "android-key", "device", "d.json", "--root", "r.pem"]).status == 0)
        func attest(_ options: String...) throws -> Run {
            try scratch.run(["mint", "android-key", "attestation", "--device", "d.json", "--challenge", "c"] + options)
        }
        let wrong = try attest("--package", "com.example.shop", "--certificate-digest", "6a6a")
        #expect(wrong.status == 64 && wrong.errors.contains("--certificate-digest: "), "\(wrong)")
        #expect(try !text(scratch, "d.json").contains("com.example.shop"))
        let half = try attest("--certificate-digest", digest)
        #expect(half.status == 64 && half.errors.contains("give --package once"), "\(half)")
        #expect(try attest("--package", "com.example.shop").status == 0)
        #expect(try attest().status == 0)
    }

    @Test("Processes that use a device at once have different counters, and none is left out")
    func processes() throws {
        let scratch = try scratch("--app-id", Self.appID)
        let run = try scratch.shell(
            """
            for p in 1 2 3 4 5 6; do
                (for n in 1 2 3 4 5; do "$ASSAY" mint app-attest assertion --device device.json || exit 1; done >out.$p) &
            done
            wait
            cat out.*
            """)
        let counters = try run.json().compactMap { $0["id"] as? String }
        #expect(Set(counters) == Set((1...30).map { "assertion-\($0)" }) && counters.count == 30, "\(run)")
        #expect(try counter(assert(scratch)) == 31)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(!names.contains { $0.hasSuffix(".new") }, "\(names)")
    }

    @Test("A changed file stays private under any umask, and a link stays a link")
    func files() throws {
        let scratch = try scratch("--app-id", Self.appID)
        let run = try scratch.shell(
            """
            ln -s device.json link.json
            umask 000; "$ASSAY" mint app-attest assertion --device link.json >/dev/null && test -L link.json && stat -c %a device.json
            """)
        #expect(run.lines == ["600"], "\(run)")
    }

    @Test("A file that cannot be replaced still serves what is given, and no counter is taken from it")
    func unwritable() throws {
        // The name of the file that would replace it is too long for the file system.
        let name = String(repeating: "d", count: 250)
        let scratch = try scratch(file: name)
        let given = try assert(scratch, file: name, "--app-id", Self.appID, "--counter", "7")
        #expect(try counter(given) == 7)
        #expect(given.errors.contains("the device does not keep what was given"), "\(given)")
        let next = try assert(scratch, file: name, "--app-id", Self.appID)
        #expect(next.status == 74 && next.output.isEmpty && next.errors.contains("cannot be"), "\(next)")
    }

    @Test("A file of another form is refused without its contents, and an older one without an app is read")
    func forms() throws {
        let scratch = try scratch()
        let seed = String(repeating: "ab", count: 32)
        let old = #"{"testDeviceSeed":"\#(seed)","createdAt":"2026-11-01T00:00:00Z"}"#
        try scratch.write("device.json", Data(old.utf8))
        #expect(try counter(assert(scratch, "--app-id", Self.appID)) == 1)
        for wrong in [
            "", "{}", "[]", old.replacing("ab\"", with: "\""), old.replacing("}", with: #","counter":-1}"#),
            old.replacing("}", with: #","counter":"1"}"#), old.replacing("}", with: #","counter":4294967296}"#),
            old.replacing("}", with: #","other":1}"#), old + old,
        ] {
            try scratch.write("device.json", Data(wrong.utf8))
            let run = try assert(scratch, "--app-id", Self.appID, "--counter", "1")
            #expect(
                run.status == 2 && run.errors.contains("device.json is no file of a test device"), "\(wrong): \(run)")
            #expect(!run.errors.contains("abab"), "\(run.errors)")
        }
    }
}
