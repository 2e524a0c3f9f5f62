internal import AsyncHTTPClient
internal import DocumentModel
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Why a server has not done what it was asked.
enum ServerFailure: Error, Hashable, Sendable {
    /// It answered with a status that is none of success.
    case status(Int, retryAfter: Duration?)
    /// It wants to know who asks. `offers` is what it accepts, in lower case.
    case signIn(offers: Set<String>)
    /// There is no connection to it.
    case unreachable(String)
    /// Its certificate is not one to trust.
    case untrusted(String)
    /// The connection ended, or nothing came any more.
    case interrupted(String)
    /// Its certificate is for another name.
    case misnamed(String)
    /// It says that it has contents, and they are not what was sent (RS-4).
    case damaged
    /// It answered what makes no sense; asking again does not help.
    case unusable(String)
    /// It sends elsewhere, where nobody has said that Docent may go (RS-9).
    case redirect(String)

    /// What is said of a server that does not answer.
    static let silence = "it did not answer in time"

    init(_ error: any Error) {
        switch error {
        case let failure as ServerFailure: self = failure
        case let problem as XMLProblem where problem.isMixed:
            self = .interrupted("something else comes behind its answer: \(problem.reason)")
        case let problem as XMLProblem: self = .unusable("its answer cannot be read: \(problem.reason)")
        case let error as HTTPClientError: self.init(error)
        case let error as NIOConnectionError: self = .unreachable(Self.words(error))
        case let error as IOError: self = Self.system(error)
        case let error as NIOSSLError: self = Self.tls(error)
        case let error as NIOSSLExtraError:
            self = error == .failedToValidateHostname ? .misnamed("\(error)") : .untrusted("\(error)")
        case let error as BoringSSLError: self = .unreachable("the encrypted connection failed: \(error)")
        default: self = .interrupted("\(error)")
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .connectTimeout: self = .unreachable("it does not answer")
        case .getConnectionFromPoolTimeout: self = .unreachable("no connection to it became free in time")
        case .readTimeout, .deadlineExceeded: self = .interrupted(Self.silence)
        case .remoteConnectionClosed: self = .interrupted("it ended the connection")
        case .proxyAuthenticationRequired:
            self = .unreachable("the proxy asks for a sign-in, which Docent does not have")
        case .invalidProxyResponse: self = .unreachable("the proxy does not let Docent through")
        case .tlsHandshakeTimeout: self = .unreachable("it does not answer to the encrypted greeting")
        case .invalidURL, .emptyHost, .emptyScheme:
            self = .unusable("it cannot be asked: \(error.shortDescription)")
        default: self = .interrupted(error.shortDescription)
        }
    }

    private static func system(_ error: IOError) -> ServerFailure {
        switch error.errnoCode {
        case ECONNREFUSED: .unreachable("nothing answers at its port")
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ETIMEDOUT: .unreachable("there is no way to it")
        case EACCES, EPERM: .unreachable("the sandbox, or a firewall, does not let Docent connect to its port")
        default: .interrupted("\(error)")
        }
    }

    private static func tls(_ error: NIOSSLError) -> ServerFailure {
        switch error {
        case .handshakeFailed(let cause):
            let words = "\(cause)"
            return words.contains("CERTIFICATE_VERIFY_FAILED") || words.contains("verify")
                ? .untrusted(
                    "its certificate was not issued by anybody this computer trusts, or not for this name, or has expired"
                )
                : .unreachable("the encrypted connection failed: \(words)")
        case .uncleanShutdown: return .interrupted("it ended the encrypted connection without saying so")
        default: return .unreachable("the encrypted connection failed: \(error)")
        }
    }

    private static func words(_ error: NIOConnectionError) -> String {
        if error.dnsAError != nil || error.dnsAAAAError != nil { return "its name “\(error.host)” is not known" }
        let causes = error.connectionErrors.map { "\($0.error)" }
        return causes.contains { $0.contains("refused") }
            ? "nothing answers at port \(error.port) of “\(error.host)”" : causes.first ?? "\(error)"
    }
}

extension ServerFailure {
    /// What the host gets.
    ///
    /// - Parameter what: what was wanted, as the beginning of a sentence: “a/b” cannot be read.
    func error(_ what: String, _ address: ServerAddress) -> DocumentError {
        switch self {
        case .status(let code, let retryAfter): Self.error(code, retryAfter, what, address)
        case .signIn(let offers):
            if offers.isEmpty || offers.contains("basic") || offers.contains("bearer") {
                DocumentError(
                    .notAuthenticated,
                    "\(what): “\(address.origin)” does not accept the sign-in. Check the settings “user” and “password”, or “token”."
                )
            } else {
                DocumentError(
                    .notAuthenticated,
                    "\(what): “\(address.origin)” asks for a kind of sign-in that Docent does not have (\(offers.sorted().joined(separator: ", "))). Have it accept Basic or Bearer."
                )
            }
        case .unreachable(let why):
            DocumentError(
                .serverUnreachable,
                "\(what): “\(address.origin)” cannot be reached. Docent looks for it from time to time.",
                causes: [why])
        case .untrusted(let why):
            DocumentError(
                .serverUnreachable,
                "\(what): “\(address.origin)” is not trusted. If it is yours, name its certificate in the setting “ca-file”.",
                causes: [why])
        case .misnamed(let why):
            DocumentError(
                .serverUnreachable,
                "\(what): the certificate of “\(address.origin)” is for another name. Use the one that it is for in the setting “url”.",
                causes: [why])
        case .interrupted(let why):
            DocumentError(.busy, "\(what): the connection to “\(address.origin)” failed; try again.", causes: [why])
        case .damaged:
            DocumentError(
                .busy,
                "\(what): “\(address.origin)” does not keep contents as they were sent. The change stays here, and is tried again; have the server's disk, and what is between, looked at."
            )
        case .unusable(let why):
            DocumentError(
                .cannotSynchronize,
                "\(what): “\(address.origin)” does not answer as a WebDAV server; check the setting “url”.",
                causes: [why]
            )
        case .redirect(let target):
            DocumentError(
                .cannotSynchronize,
                "\(what): “\(address.origin)” sends to “\(target)”, where Docent does not follow; if that is right, give it as “url”."
            )
        }
    }

    private static func error(
        _ code: Int, _ retryAfter: Duration?, _ what: String, _ address: ServerAddress
    ) -> DocumentError {
        let detail = "HTTP status \(code)"
        switch code {
        case 403:
            return DocumentError(
                .notPermitted,
                "\(what): the server does not permit it to you; ask who looks after “\(address.origin)”.",
                detail: detail)
        case 404, 410: return DocumentError(.noSuchItem, "\(what): it is not there any more.", detail: detail)
        case 409, 412:
            return DocumentError(
                .busy, "\(what): somebody else is changing it, or its folder; try again in a moment.", detail: detail)
        case 423:
            return DocumentError(
                .busy, "\(what): somebody has locked it on the server; try again later.", detail: detail,
                retryAfter: retryAfter)
        case 413, 507:
            return DocumentError(
                .insufficientQuota, "\(what): there is no room left on “\(address.origin)”; make some.", detail: detail)
        case 400, 414, 422:
            // The domain may work all the same: there are names that a server does not take.
            return DocumentError(
                .cannotSynchronize,
                "\(what): “\(address.origin)” does not take it, perhaps because of its name: give it another one, or check the setting “url”.",
                detail: detail)
        case 400...499 where code != 408 && code != 429 && code != 425:
            return DocumentError(
                .cannotSynchronize, "\(what): “\(address.origin)” refuses it; check the setting “url”.", detail: detail)
        default:
            return DocumentError(
                .busy, "\(what): “\(address.origin)” cannot do it now; try again later.", detail: detail,
                retryAfter: retryAfter)
        }
    }
}
