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
