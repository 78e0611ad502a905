/// Converts byte offsets to line numbers, for errors.
struct LineIndex {
    private let lineFeeds: [Int]

    /// Indexes the line feeds in one pass.
    init(_ bytes: [UInt8]) {
        lineFeeds = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    }

    /// The line that contains a byte, counted from 1.
    func line(of offset: Int) -> Int {
        var (low, high) = (0, lineFeeds.count)
        while low < high {
            let middle = (low + high) / 2
            if lineFeeds[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return low + 1
    }
}
