# Sourced: tests_build holds what tells “swift build” and “swift test” of the build that scripts/test runs its tests with. It is
# built for release, since tests wait for little else than what is built for debugging, of which swift-system alone takes a
# quarter; tests see what is internal, and force system calls to fail. In a folder of its own: what is built to be used has
# neither.
# shellcheck shell=bash disable=SC2034
tests_build=(-c release --scratch-path .build/tests -Xswiftc -enable-testing -Xswiftc -DFAULT_INJECTION)
