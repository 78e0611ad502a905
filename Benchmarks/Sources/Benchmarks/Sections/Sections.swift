/// All sections, in the order in which they run and are printed.
enum Sections {
    static let all: [any Section] = [
        MemorySection(), RateSection(), ThreadsSection(), PeerAppAttestSection(), PeerAndroidKeySection(),
        PeerPlayIntegritySection(),
        PeerTokensSection(), OwnTokensSection(), PeerMessagesSection(), PrimitivesSection(), LedgerSection(),
        ReplaySection(),
        ReplayMemorySection(), StartUpSection(), StepsSection(), AppsSection(), ServiceSection(), ConsoleSection(),
        CaptureSection(),
        PeerServiceSection(),
    ]
}
