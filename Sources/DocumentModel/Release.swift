/// What all programs of a release call themselves.
package enum Release {
    package static let version = "0.1.0"
}
