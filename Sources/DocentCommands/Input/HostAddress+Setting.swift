import DocumentModel
import DocumentTransport

extension HostAddress {
    /// The host's, as this process's environment has it: a mistake in that is there at the next try, too.
    ///
    /// - Throws: ``WrongSetting``.
    static func asSet() throws -> HostAddress {
        do throws(DocumentError) {
            return try ofThisProcess()
        } catch {
            throw WrongSetting(error: error)
        }
    }
}
