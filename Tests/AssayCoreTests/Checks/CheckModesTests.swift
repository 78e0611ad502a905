import AssayCore
import AssayTestSupport
import Testing

@Suite struct CheckModesTests {
    @Test("A check has the mode that was set, and is enforced without one")
    func lookUp() {
        let modes = CheckModes([.first: .annotate, .second: .off, .third: .enforce])
        #expect(modes[.first] == .annotate)
        #expect(modes[.second] == .off)
        #expect(modes[.third] == .enforce)
        #expect(modes[.counter] == .enforce)
        #expect(CheckModes([:])[.first] == .enforce)
    }

    @Test("Names are equal if their bytes are")
    func names() {
        let modes = CheckModes([CheckID("caf\u{E9}"): .off])
        #expect(modes[CheckID("caf\u{E9}")] == .off)
        #expect(modes[CheckID("cafe\u{301}")] == .enforce)
        #expect(modes[CheckID("caf")] == .enforce)
    }
}
