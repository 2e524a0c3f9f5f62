package import DocumentModel
package import DocumentWire

/// The calls of the capability “picker”.
extension ConformanceSession {
    package func preparePicker(_ picker: ProviderCall.PickerCall) async throws -> PickerPresentation {
        guard case .preparePicker(let presentation) = try await ask(.preparePicker(picker)) else {
            throw CheckFailure("The answer is of another kind than the question.")
        }
        return presentation
    }

    /// - Throws: the provider's reason, when it refuses the choice.
    package func validate(_ choice: PickerChoice, in picker: ProviderCall.PickerCall) async throws {
        guard case .validateChoice = try await ask(.validateChoice(choice, picker)) else {
            throw CheckFailure("The answer is of another kind than the question.")
        }
    }

    package func endPicker(_ session: String) async throws {
        guard case .endPicker = try await ask(.endPicker(session: session)) else {
            throw CheckFailure("The answer is of another kind than the question.")
        }
    }

    /// What the provider says to a choice.
    ///
    /// - Returns: its reason to refuse it; nil when it is a good one.
    package func verdict(
        on choice: PickerChoice, in picker: ProviderCall.PickerCall
    ) async throws -> DocumentError? {
        do {
            try await validate(choice, in: picker)
            return nil
        } catch let error as DocumentError {
            return error
        }
    }

    /// Prepares a session, gives it to the body, and ends it.
    package func withPicker<Result>(
        _ mode: PickerMode, _ body: (ProviderCall.PickerCall) async throws -> Result
    ) async throws -> Result {
        let picker = ProviderCall.PickerCall.sample(mode)
        _ = try await preparePicker(picker)
        let result: Result
        do {
            result = try await body(picker)
        } catch {
            // The first error is the one that matters.
            try? await endPicker(picker.session)
            throw error
        }
        try await endPicker(picker.session)
        return result
    }
}

extension ProviderCall.PickerCall {
    /// A session of its own, with what goes with its mode.
    package static func sample(_ mode: PickerMode) -> Self {
        mode.choosesDocuments
            ? Self(session: operationName(), mode: mode, validTypes: [.item])
            : Self(session: operationName(), mode: mode, originalPath: "/tmp/a local document.txt", originalSize: 12)
    }
}
