import DocumentModel
import DocumentProvider
import Synchronization

extension MistakenProvider {
    func prepareForPresentation(_ picker: PickerContext) async throws -> PickerPresentation {
        try await serve {
            let path = mistake == .pickerLeadsToDocument ? "Welcome.txt" : "Reports"
            let section = remote.look { $0.identifier(atPath: path) }
            let open = pickers.withLock { pickers in
                pickers.insert(picker.sessionID)
                return pickers.count
            }
            if mistake == .onePickerAtATime, open > 1 {
                throw DocumentError(.internal, "There is a picker already.")
            }
            var message = mistake == .pickerMessageTooLong ? String(repeating: "Look here. ", count: 47) : ""
            if mistake == .pickerShownOtherwise { message = "Picker \(count())." }
            return PickerPresentation(
                message: message,
                sections: section.map { [PickerSection(title: "What was reported", containerID: $0)] } ?? [],
                columns: mistake == .pickerColumnTwice ? [.size, .size] : [.size, .modified])
        }
    }

    func validate(_ choice: PickerChoice, in picker: PickerContext) async throws {
        try await serve {
            if mistake == .pickerForgottenAtRestart, !pickers.withLock({ $0.contains(picker.sessionID) }) {
                throw DocumentError(.internal, "There is no such picker.")
            }
            if mistake == .verdictChanges, count() % 2 == 0 {
                throw DocumentError(.notPermitted, "This time it cannot be chosen. Choose something else.")
            }
            if mistake == .strangerChosenIsInternalError, !isThere(choice) {
                throw DocumentError(.internal, "That was not expected.")
            }
            switch choice {
            case .item(let id): _ = try remote.look { try $0.item(id) }
            case .destination(let container, let name, _):
                try remote.look { try $0.checkFolder(container) }
                guard !name.rawValue.hasPrefix(".") else {
                    throw DocumentError(
                        .notPermitted,
                        mistake == .pickerRefusesWithoutWords ? "" : "“\(name)” would not be seen. Choose another name."
                    )
                }
                if mistake == .choiceMakesItem { try make(name, in: container) }
            }
        }
    }

    func pickerEnded(_ sessionID: String) async throws {
        let wasThere = pickers.withLock { $0.remove(sessionID) != nil }
        if mistake == .secondEndOfPickerFails, !wasThere {
            throw DocumentError(.invalidArgument, "There is no such picker.")
        }
    }

    private func isThere(_ choice: PickerChoice) -> Bool {
        switch choice {
        case .item(let id): (try? remote.look { try $0.item(id) }) != nil
        case .destination(let container, _, _): (try? remote.look { try $0.item(container) }) != nil
        }
    }

    private func make(_ name: ItemName, in container: ItemIdentifier) throws {
        try remote.change { tree in
            guard tree.child(of: container, named: name) == nil else { return nil }
            let folder = ItemCreation(
                parentID: container, name: name, kind: .folder, contents: nil, modified: nil,
                operation: "chosen \(tree.nextSerial)")
            return try tree.create(folder, size: 0, now: .now)
        }
    }
}
