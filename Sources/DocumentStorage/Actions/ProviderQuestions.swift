package import DocumentModel
internal import Synchronization

/// Questions of what there is at providers that are under way. What is removed or moved there meanwhile, because it was so here,
/// an answer may tell of as it was before: of that it says nothing, whichever of the two is taken up first.
package final class ProviderQuestions: Sendable {
    /// One of them; over as soon as nobody has it any more.
    package final class Question: Sendable {
        private let number: Int
        private let questions: ProviderQuestions

        fileprivate init(_ number: Int, _ questions: ProviderQuestions) {
            self.number = number
            self.questions = questions
        }

        deinit {
            let number = number
            questions.open.withLock { _ = $0.removeValue(forKey: number) }
        }

        /// Items that are at their provider as they are here since it was begun. To be asked within the transaction that takes
        /// up the answer.
        var settled: Set<ItemIdentifier> { questions.open.withLock { $0[number]?.settled ?? [] } }
    }

    private struct Open {
        let domain: DomainName
        var settled: Set<ItemIdentifier> = []
    }

    private let open = Mutex<[Int: Open]>([:])
    private let last = Mutex(0)

    /// To be called before the provider is asked.
    package func begin(of domain: DomainName) -> Question {
        let number = last.withLock { last in
            last += 1
            return last
        }
        open.withLock { $0[number] = Open(domain: domain) }
        return Question(number, self)
    }

    /// Within the transaction from which on what is told of them counts again.
    func settled(_ ids: ItemIdentifier?..., in domain: DomainName) {
        open.withLock { open in
            for (number, question) in open where question.domain == domain {
                open[number]?.settled.formUnion(ids.compactMap { $0 })
            }
        }
    }
}
