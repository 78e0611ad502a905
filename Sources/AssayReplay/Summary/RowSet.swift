/// Where a record stands among those that a summary shows: what is most worth seeing comes first.
struct RowRank: Comparable, Sendable {
    /// What a record is shown for.
    enum Category: Int, Comparable, Sendable {
        /// The verdict is not the one that the record expects.
        case mismatch
        /// The two policies disagree on whether it is accepted.
        case changed
        case rejected
        case failed
        case accepted

        static func < (left: Category, right: Category) -> Bool { left.rawValue < right.rawValue }
    }

    let category: Category
    let time: ReplayTime?
    let file: ByteText
    let position: Int
    let id: ByteText

    static func < (left: RowRank, right: RowRank) -> Bool {
        if left.category != right.category { return left.category < right.category }
        switch (left.time, right.time) {
        case (let first?, let second?): if first != second { return first < second }
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): break
        }
        if left.file != right.file { return left.file < right.file }
        return (left.position, left.id) < (right.position, right.id)
    }
}

/// A row with its rank. Rows of one rank are told apart by their content, so that the order is one of all rows.
struct RankedRow: Comparable, Sendable {
    let rank: RowRank
    let row: ReplayRow

    private var content: ByteText { ByteText(row.json(layouts: [:])) }

    static func == (left: RankedRow, right: RankedRow) -> Bool {
        left.rank == right.rank && left.content == right.content
    }

    static func < (left: RankedRow, right: RankedRow) -> Bool {
        left.rank == right.rank ? left.content < right.content : left.rank < right.rank
    }
}

/// The first so many rows of all that are offered, in whatever order they come.
struct RowSet: Mergeable {
    /// How many rows there are of each reason at least.
    static let rowsPerReason = 20

    private let limit: Int
    /// A heap whose first element is the last one of the order.
    private var heap: [RankedRow] = []

    init(limit: Int) {
        self.limit = limit
    }

    init() {
        self.init(limit: RowSet.rowsPerReason)
    }

    /// The rows in their order.
    var sorted: [RankedRow] { heap.sorted() }

    /// Whether there are as many rows as there may be.
    var isFull: Bool { heap.count >= limit }

    /// Whether a row of a rank may come to be among these.
    func wants(_ rank: RowRank) -> Bool {
        guard isFull, let last = heap.first else { return true }
        return !(last.rank < rank)
    }

    /// Takes a row if it is among the first ones.
    mutating func offer(_ row: RankedRow) {
        guard isFull, let last = heap.first else {
            heap.append(row)
            return rise()
        }
        guard row < last else { return }
        heap[0] = row
        sink()
    }

    mutating func merge(_ other: RowSet) {
        for row in other.heap { offer(row) }
    }

    private mutating func rise() {
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2] < heap[child] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var greatest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[greatest] < heap[child] { greatest = child }
            }
            guard greatest != parent else { return }
            heap.swapAt(parent, greatest)
            parent = greatest
        }
    }
}
