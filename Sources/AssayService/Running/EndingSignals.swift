import UnixSignals

/// The signals that end a service. They are kept from the moment at which they are trapped: a program that has something to put in order
/// at its end traps them before it begins.
package struct EndingSignals: Sendable {
    let sequence: UnixSignalsSequence

    /// Traps SIGTERM and SIGINT.
    ///
    /// - Parameter endsWithTerminal: whether SIGHUP ends the service too, as a terminal sends it that is closed. Otherwise the service
    ///   reads its files again.
    package init(endsWithTerminal: Bool = false) async {
        sequence = await UnixSignalsSequence(
            trapping: endsWithTerminal ? [.sigterm, .sigint, .sighup] : [.sigterm, .sigint])
    }
}
