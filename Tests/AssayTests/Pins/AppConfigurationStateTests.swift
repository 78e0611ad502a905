import Assay
import AssayCore
import AssayPrimitives
import AssayTokens
import Foundation
import Testing

/// What the ledger keeps of the configuration of apps.
@Suite("State of the configuration")
struct AppConfigurationStateTests {
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    private static func mode(_ index: Int, until seconds: Double = 60, _ mode: PinMode = .block) -> DevicePinMode {
        DevicePinMode(LedgerSubject(.device, "device \(index)"), mode, until: now + seconds, setBy: "eve")
    }

    @Test("It is stored and read, and a document of another form is an outage")
    func document() throws {
        var state = AppConfigurationState()
        #expect(try AppConfigurationState(stored: state.stored) == state)
        state.force(pins: 7)
        for mode in [Self.mode(1), Self.mode(2, .unpin)] {
            let isSet = state.set(mode, at: Self.now)
            #expect(isSet)
        }
        #expect(try AppConfigurationState(stored: state.stored) == state)
        #expect(state.version == 1 && state.force == 1 && state.pins == 7 && state.modes.count == 2)
        let good = String(decoding: state.stored, as: UTF8.self)
        for (old, new) in [
            (#""version":1"#, #""version":-1"#), (#""version":1"#, #""version":"1""#),
            (#""version":1"#, #""version":1.5"#),
            (#""version":1"#, #""version":9007199254740992"#), (#""force":1"#, #""forced":1"#),
            (#""mode":"block""#, #""mode":"open""#), (#""kind":"device""#, #""kind":"phone""#),
            (#""modes":["#, #""modes":[1,"#),
        ] {
            #expect(good.contains(old))
            #expect(throws: LedgerOutage.self, "\(new)") {
                try AppConfigurationState(stored: Array(good.replacingOccurrences(of: old, with: new).utf8))
            }
        }
    }

    @Test("A device has one mode, ended ones are forgotten, and the register takes a thousand")
    func modes() throws {
        var state = AppConfigurationState()
        func set(_ mode: DevicePinMode, after seconds: Double = 0) -> Bool { state.set(mode, at: Self.now + seconds) }
        for index in 0..<AppConfigurationState.maximumModes {
            #expect(set(Self.mode(index, until: index == 0 ? 10 : 60)))
        }
        #expect(try AppConfigurationState(stored: state.stored) == state)
        #expect(!set(Self.mode(5000)))
        // Another mode of a device that has one.
        #expect(set(Self.mode(7, .unpin)))
        #expect(state.mode(of: Self.mode(7).device, at: Self.now)?.mode == .unpin)
        #expect(state.modes.count == AppConfigurationState.maximumModes)
        #expect(state.mode(of: Self.mode(0).device, at: Self.now + 9) != nil)
        #expect(state.mode(of: Self.mode(0).device, at: Self.now + 10) == nil)
        #expect(set(Self.mode(5000), after: 10))
        #expect(set(Self.mode(7, .pin), after: 10))
        #expect(state.mode(of: Self.mode(7).device, at: Self.now + 10) == nil)
        #expect(state.modes.count == AppConfigurationState.maximumModes - 1)
    }

    @Test("Forcing takes the present version, one for pins that no server has looked at, or one above another")
    func force() {
        var state = AppConfigurationState()
        state.force(pins: 1)
        #expect(state.version == 1 && state.force == 1)
        state.force(pins: 1)
        #expect(state.version == 1 && state.force == 1)
        state.force(pins: 2)
        #expect(state.version == 2 && state.force == 2)
        state.force(pins: 2, above: 1)
        #expect(state.version == 2)
        state.force(pins: 2, above: 2)
        #expect(state.version == 3 && state.force == 3)
        state.force(pins: 2, above: 500)
        #expect(state.version == 501 && state.force == 501)
        state.force(pins: 3, above: HeldConfiguration.largestVersion)
        #expect(state.version == HeldConfiguration.largestVersion)
    }
}
