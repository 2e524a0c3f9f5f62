/// What is done so that contents are not lost, and could be left out without anything else failing for that.
///
/// Nobody leaves any of it out but an observer of the simulator's, to see that it is noticed (`scripts/check-imports` says so): a
/// program that ships has none that could.
package enum Precaution: Sendable {
    /// What has come is compared with the digest that its provider vouches for.
    case comparingDigests
    /// The remote is asked whether it has a document before its contents leave (XFER-13).
    case askingBeforeEviction
    /// The provider is asked about what a listing did not show before that goes (RS-8).
    case askingAboutUnseen
}
