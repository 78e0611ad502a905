import AssayCore
import Testing

/// Every access to a policy is checked, and every error has the place, the found and the allowed value.
@Suite("Values of a policy")
struct PolicyNodeTests {
    private func node(_ content: PolicyNode.Content) -> PolicyNode {
        PolicyNode(content, path: "apps[0].x", line: 7, file: "p.yaml")
    }

    private func expect(_ message: String, _ body: () throws -> Void) {
        let expected = PolicyError(file: "p.yaml", line: 7, field: "apps[0].x", message)
        #expect(throws: expected, performing: body)
    }

    @Test(
        "A length of time is whole numbers with their units, larger units first",
        arguments: [
            ("90s", 90), ("5m", 300), ("12h", 43_200), ("30d", 2_592_000), ("0s", 0), ("4294967295s", 4_294_967_295),
            ("3d12h", 302_400), ("1h30m", 5400), ("1y", 31_536_000), ("1y2d3h4m5s", 31_719_845), ("1d1s", 86_401),
        ]
            as [(String, Double)])
    func durations(text: String, seconds: Double) throws {
        #expect(try node(.scalar(text)).duration() == seconds)
    }

    @Test(
        "Any other text is not a length of time",
        arguments: [
            "", "s", "5", "5 m", " 5m", "5m ", "-5m", "+5m", "-0s", "1.5h", "5M", "5w", "5ms", "30m1h", "1h1h", "1h30",
            "h30m", "0x5m", "٥m",
            "4294967296s", "1e3s", "5m\u{301}",
        ])
    func noDurations(text: String) {
        expect("expected a length of time, such as 90s, 5m, 3d12h or 1y, found \"\(text)\"") {
            _ = try node(.scalar(text)).duration()
        }
    }

    private struct NoFiles: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { throw node.error("no such file") }
    }

    @Test("A whole number has one form, whatever its limits: decimal digits without plus sign and leading zeros")
    func numbers() throws {
        let count = FieldForm<Int>.count
        let number = FieldForm<Int>.number(-5...1000, "a whole number from -5 to 1000")
        for (text, value) in [("0", 0), ("10", 10), ("1000", 1000)] {
            #expect(try count.read(node(.scalar(text)), NoFiles()) == value)
            #expect(try number.read(node(.scalar(text)), NoFiles()) == value)
        }
        #expect(try number.read(node(.scalar("-5")), NoFiles()) == -5)
        let wrong = ["+10", "010", "00", "-0", "+0", "1e1", "1.0", "0x0A", "1_0", " 10", "10 ", "\u{0661}", "ten"]
        for text in wrong + ["9223372036854775808", "-6"] {
            expect("expected a whole number from 0 to 9223372036854775807, found \"\(text)\"") {
                _ = try count.read(node(.scalar(text)), NoFiles())
            }
            expect("expected a whole number from -5 to 1000, found \"\(text)\"") {
                _ = try number.read(node(.scalar(text)), NoFiles())
            }
        }
    }

    @Test("Text is not empty, and not null, a list or a mapping")
    func texts() throws {
        #expect(try node(.scalar("a")).text() == "a")
        expect("expected text, found \"\"") { _ = try node(.scalar("")).text() }
        expect("expected text, found nothing") { _ = try node(.null).text() }
        expect("expected text, found an empty list") { _ = try node(.sequence([])).text() }
        expect("expected text, found a mapping") { _ = try node(.mapping([])).text() }
    }

    @Test("A word is one of the allowed ones, exactly")
    func words() throws {
        #expect(try node(.scalar("off")).word(CheckMode.self) == .off)
        for (content, found) in [
            (PolicyNode.Content.scalar("Off"), "\"Off\"; did you mean off?"), (.scalar("any"), "\"any\""),
            (.scalar("off "), "\"off \"; did you mean off?"), (.null, "nothing"),
        ] {
            expect("expected one of enforce, annotate, off, found \(found)") {
                _ = try node(content).word(CheckMode.self)
            }
        }
    }

    @Test("A list has at least one value")
    func lists() throws {
        #expect(try node(.sequence([node(.null)])).elements().count == 1)
        expect("expected a list of at least one value, found an empty list") { _ = try node(.sequence([])).elements() }
        expect("expected a list of at least one value, found \"a\"; write it as [\"a\"]") {
            _ = try node(.scalar("a")).elements()
        }
    }

    @Test("A mapping has known fields only; the error for an unknown one has its own line")
    func mappings() throws {
        let mapping = node(.mapping([("a", 8, node(.null)), ("b", 9, node(.null))]))
        #expect(try mapping.members(["a", "b", "c"]).keys.sorted() == ["a", "b"])
        #expect(
            throws: PolicyError(file: "p.yaml", line: 9, field: "apps[0].x.b", "unknown field; allowed are a, c")
        ) { try mapping.members(["a", "c"]) }
        expect("expected a mapping of a, found nothing") { _ = try node(.null).members(["a"]) }
    }

    @Test("Excerpts of input are truncated and escaped")
    func found() {
        #expect(node(.scalar("\u{1B}[2J")).found == "\"\\u{1B}[2J\"")
        #expect(node(.scalar(String(repeating: "a", count: 1000))).found.count == 65)
        #expect(
            node(.mapping([])).missing("y", "a number")
                == PolicyError(
                    file: "p.yaml", line: 7, field: "apps[0].x.y", "required field is missing; a number"))
    }
}
