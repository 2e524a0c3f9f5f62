/// Which of the calls that may never return run, and which wait for that, the first that came first. Pure.
///
/// A call has a place while it is young. One that takes long gives its place to whoever waits, as nobody knows whether it ever
/// returns, and so does one that is given up: none keeps the others from running for good. Of both, so many are borne with.
struct CallPlaces {
    /// What becomes of a call that is asked for.
    enum Answer {
        case runs
        case waits
        /// Too many hang already.
        case refused
    }

    /// Who waits no longer.
    struct Served: Equatable {
        var begun: [UInt64] = []
        var refused: [UInt64] = []
    }

    /// How many are young at a time.
    let mostAtOnce: Int
    /// How many of those that take long are borne with while others wait.
    let mostLong: Int
    /// How many of those that were given up are borne with.
    let mostHanging: Int
    /// How long a call is young.
    let youth: Duration

    /// Those that have a place, with the time when they began.
    private var young: [UInt64: MonotonicTime] = [:]
    private var long: Set<UInt64> = []
    private var hanging: Set<UInt64> = []
    private var waiting: [UInt64] = []

    init(mostAtOnce: Int, mostLong: Int, mostHanging: Int, youth: Duration) {
        self.mostAtOnce = mostAtOnce
        self.mostLong = mostLong
        self.mostHanging = mostHanging
        self.youth = youth
    }

    /// How many have not returned.
    var running: Int { awaited + hanging.count }

    /// How many of them were not given up.
    var awaited: Int { young.count + long.count }

    mutating func ask(_ call: UInt64, at now: MonotonicTime) -> Answer {
        guard hanging.count < mostHanging else { return .refused }
        guard waiting.isEmpty, young.count < mostAtOnce else {
            waiting.append(call)
            return .waits
        }
        young[call] = now
        return .runs
    }

    /// - Returns: false when it does not wait.
    mutating func leave(_ call: UInt64) -> Bool {
        guard let place = waiting.firstIndex(of: call) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// Nobody waits any longer for its end.
    mutating func giveUp(_ call: UInt64, at now: MonotonicTime) -> Served {
        let wasYoung = young.removeValue(forKey: call) != nil
        let wasLong = long.remove(call) != nil
        guard wasYoung || wasLong else { return Served() }
        hanging.insert(call)
        return serve(at: now)
    }

    /// It has returned.
    mutating func end(_ call: UInt64, at now: MonotonicTime) -> Served {
        young[call] = nil
        long.remove(call)
        hanging.remove(call)
        return serve(at: now)
    }

    /// Takes the places of those that take long.
    ///
    /// - Returns: also when to look next; nil when nobody waits.
    mutating func look(at now: MonotonicTime) -> (Served, next: MonotonicTime?) {
        guard !waiting.isEmpty else { return (Served(), nil) }
        for (call, begin) in young where now.since(begin) >= youth && long.count < mostLong {
            young[call] = nil
            long.insert(call)
        }
        var served = serve(at: now)
        let next = young.values.filter { now.since($0) < youth }.min().map { $0 + youth }
        if next == nil {
            // None of all those is about to end, as far as anybody knows.
            served.refused += waiting
            waiting = []
        }
        return (served, waiting.isEmpty ? nil : next)
    }

    private mutating func serve(at now: MonotonicTime) -> Served {
        guard hanging.count < mostHanging else {
            defer { waiting = [] }
            return Served(refused: waiting)
        }
        let free = min(max(mostAtOnce - young.count, 0), waiting.count)
        let begun = Array(waiting.prefix(free))
        waiting.removeFirst(free)
        for call in begun { young[call] = now }
        return Served(begun: begun)
    }
}
