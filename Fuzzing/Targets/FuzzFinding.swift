/// A rule that an input has broken.
package struct FuzzFinding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// - Throws: the finding, unless the rule holds.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(FuzzFinding) {
    guard holds else { throw FuzzFinding(rule()) }
}
