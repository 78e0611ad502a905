import AssayCore
import Testing

/// Messages suggest similar names only.
@Suite("Nearest names")
struct NearestNameTests {
    @Test(
        "A name with few wrong letters is suggested; the last part of a check's name is sufficient",
        arguments: [
            ("minimumOSVersoin", ["minimumOSVersion"]), ("Authorisation", ["Authorization"]),
            ("frda", ["frida"]), ("nonce", ["app.attest.nonce", "app.classic.nonce"]),
            ("app.attest.nonec", ["app.attest.nonce"]),
            ("OFF", ["off"]), ("minimum", ["minimumOSVersion"]),
        ])
    func suggested(typed: String, nearest: [String]) {
        let names = [
            "minimumOSVersion", "Authorization", "frida", "app.attest.nonce", "app.attest.chain", "app.classic.nonce",
            "off",
        ]
        #expect(Nearest.names(to: typed, among: names) == nearest)
        #expect(Nearest.advice(for: typed, among: names) == "; did you mean \(nearest.joined(separator: " or "))?")
    }

    @Test(
        "A dissimilar word is not suggested; long or empty text is not compared",
        arguments: ["", "x", "up", "maybe", String(repeating: "off", count: 100)])
    func unlike(typed: String) {
        #expect(Nearest.names(to: typed, among: ["enforce", "off", "frida"]).isEmpty)
        #expect(Nearest.advice(for: typed, among: ["enforce", "off", "frida"]).isEmpty)
    }

    @Test("Text of more than 80 bytes is not compared, however near a name is", arguments: [80, 81])
    func long(length: Int) {
        let name = String(repeating: "frida", count: 17).prefix(length)
        #expect(Nearest.names(to: name.dropLast() + "x", among: [String(name)]).count == (length == 80 ? 1 : 0))
    }

    /// The cuts of the table change no result.
    @Test("The nearest names are those of the smallest edit distance, up to a limit that grows with the length")
    func smallest() {
        let names = ["nonce", "nonces", "once", "origin", "purpose", "package-not-allowed", "packet-not-allowed", "a"]
        for name in names {
            for typed in [name + "xy", "x" + name, name.replacing("n", with: "m"), String(name.reversed())] {
                let limit = min(max(2, typed.count / 4), typed.count / 2)
                let distances = names.map { $0.hasPrefix(typed) ? 0 : Self.distance(Array(typed), Array($0)) }
                let least = distances.min().flatMap { $0 <= limit ? $0 : nil }
                let nearest = zip(names, distances).filter { $0.1 == least }.map(\.0)
                #expect(Nearest.names(to: typed, among: names) == nearest, "\(typed)")
            }
        }
    }

    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var rows = [Array(0...second.count)]
        for row in 1...first.count {
            rows.append([row])
            for column in 1...second.count {
                let replaced = rows[row - 1][column - 1] + (first[row - 1] == second[column - 1] ? 0 : 1)
                rows[row].append(min(replaced, rows[row - 1][column] + 1, rows[row][column - 1] + 1))
            }
        }
        return rows[first.count][second.count]
    }

    @Test(
        "Lengths of time that no policy contains are written too",
        arguments: [
            (.nan, "0s"), (-.infinity, "0s"), (-5, "0s"), (.infinity, "4294967295d"), (1e300, "4294967295d"),
        ] as [(Double, String)])
    func extremeDurations(seconds: Double, text: String) { #expect(PolicyNode.text(ofSeconds: seconds) == text) }

    @Test("A written length of time can be read")
    func durations() throws {
        for (seconds, text) in [(0, "0s"), (90, "1m30s"), (300, "5m"), (86_400, "1d"), (90_061, "1d1h1m1s")]
            as [(Double, String)]
        {
            #expect(PolicyNode.text(ofSeconds: seconds) == text)
            #expect(try PolicyNode.written(.scalar(text)).duration() == seconds)
        }
    }
}
