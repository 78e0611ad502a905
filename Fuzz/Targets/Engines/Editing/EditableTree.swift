/// What consists of parts that can be left out, repeated and changed, after which all lengths around them are right again.
protocol EditableTree {
    var childCount: Int { get }
    subscript(child index: Int) -> Self { get set }
    mutating func removeChild(at index: Int)
    mutating func repeatChild(at index: Int)
    /// Makes the change to this node itself.
    mutating func change(by edit: Edit)
}

extension EditableTree {
    /// This node and all below it.
    var nodeCount: Int { (0..<childCount).reduce(1) { $0 + self[child: $1].nodeCount } }

    /// Makes the change to the node that it names.
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
