/// What became of a run.
package struct SimulatedRun: Hashable, Sendable {
    /// What does not hold; nil when all does.
    package let complaint: String?
    /// The same for the same run, down to every step.
    package let trace: UInt64
    package let events: Int

    /// - Parameter remote: answers in the place of a provider that does all at once; nil for that one.
    package init(
        _ scenario: Scenario, mistake: PlantedMistake? = nil, remote: (any SimulatedRemote)? = nil,
        onStep: ((String) -> Void)? = nil
    ) {
        let simulation = Simulation(scenario, mistake: mistake, remote: remote, onStep: onStep)
        complaint = simulation.run()
        trace = simulation.trace
        events = simulation.eventCount
    }
}
