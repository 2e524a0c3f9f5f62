// Runs random histories of file coordination one after the other, each from its own seed: `CoordinationHistories 1000000`,
// from another first seed with a second number. Ends with status 1 at the first one in which something does not hold, and
// prints its steps.

import Glibc

let words = CommandLine.arguments
guard words.count > 1, let count = UInt64(words[1]), let first = words.count > 2 ? UInt64(words[2]) : 0 else {
    print("usage: \(words[0]) COUNT [FIRST-SEED]")
    exit(2)
}
let items = try History.items()
let clock = ContinuousClock()
let begin = clock.now
for seed in first..<first + count {
    if let complaint = History.complaint(seed: seed, items: items) {
        print("history \(seed): \(complaint)")
        _ = History.complaint(seed: seed, items: items) { print($0) }
        exit(1)
    }
    let done = seed - first + 1
    if done.isMultiple(of: 100_000) {
        print("\(done) histories, \((clock.now - begin).components.seconds) s")
        fflush(nil)
    }
}
let used = clock.now - begin
print("\(count) histories kept every promise, in \(used.components.seconds) s.")
