/// All sections, in the order in which they run and are printed.
enum Sections {
    static let all: [any Section] = [
        MemorySection(), RateSection(), PeerTokensSection(), ThreadsSection(), ReplaySection(), ReplayMemorySection(),
        StepsSection(), LedgerSection(), StartUpSection(),
    ]
}
