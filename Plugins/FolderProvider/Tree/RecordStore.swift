/// All records by identifier. A dictionary that holds the records themselves would waste as much memory as they need;
/// this one holds their places in an array.
struct RecordStore: Sendable {
    private var places: [RecordID: Int32] = [:]
    private var records: [FolderRecord?] = []
    private var free: [Int32] = []

    var count: Int { places.count }

    var values: some Sequence<FolderRecord> { records.lazy.compactMap { $0 } }

    subscript(id: RecordID) -> FolderRecord? {
        get {
            places[id].flatMap { records[Int($0)] }
        }
        set {
            switch (places[id], newValue) {
            case (let place?, let record?):
                records[Int(place)] = record
            case (let place?, nil):
                records[Int(place)] = nil
                places[id] = nil
                free.append(place)
            case (nil, let record?):
                if let place = free.popLast() {
                    records[Int(place)] = record
                    places[id] = place
                } else {
                    places[id] = Int32(records.count)
                    records.append(record)
                }
            case (nil, nil):
                break
            }
        }
    }
}
