package import Assay

extension EngineRegistry {
    /// The engines of the commands. Task-local: tests add an engine, and static option declarations take no arguments.
    @TaskLocal package static var current = EngineRegistry.standard
}
