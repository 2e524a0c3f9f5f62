/// Whom the accesses are asked for that begin in a task, where the tool does so for other programs.
package enum OnBehalf {
    @TaskLocal package static var current: String?
}
