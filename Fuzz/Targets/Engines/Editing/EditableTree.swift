/// A tree whose nodes can be removed, repeated and changed. Its encoding always has correct lengths.
protocol EditableTree {
    var childCount: Int { get }
    subscript(child index: Int) -> Self { get set }
    mutating func removeChild(at index: Int)
    mutating func repeatChild(at index: Int)
    /// Changes this node, not its children.
    mutating func change(by edit: Edit)
}

extension EditableTree {
    /// The number of nodes: this node and all below it.
    var nodeCount: Int { (0..<childCount).reduce(1) { $0 + self[child: $1].nodeCount } }

    /// Changes the node that the edit selects.
    mutating func apply(_ edit: Edit) {
        walk(edit.node % nodeCount, edit)
    }

    private mutating func walk(_ number: Int, _ edit: Edit) {
        guard number > 0 else { return change(by: edit) }
        var rest = number - 1
        for index in 0..<childCount {
            let count = self[child: index].nodeCount
            if rest >= count {
                rest -= count
                continue
            }
            switch (rest, edit.operation & 0x0F) {
            case (0, 0): removeChild(at: index)
            case (0, 1): repeatChild(at: index)
            default: self[child: index].walk(rest, edit)
            }
            return
        }
    }
}
