import DocumentModel
import Testing

struct HostAddressTests {
    private func address(
        _ environment: [String: String], runtimeFolder: Bool = false, canonical: @escaping (String) -> String = { $0 }
    ) throws -> HostAddress {
        try HostAddress.resolve(
            environment: environment,
            surroundings: .init(
                userID: 1000, home: "/home/ann", hasRuntimeFolder: runtimeFolder, canonical: canonical)
        )
    }

    @Test func withoutAnySettingTheRootLiesInTheHomeFolder() throws {
        let address = try address([:], runtimeFolder: true)
        #expect(address.root == "/home/ann/.local/share/docent")
        #expect(address.socket == "/run/user/1000/docent/host.sock")
        #expect(address.log == "/home/ann/.local/share/docent/.docent/host.log")
    }

    @Test func withoutARuntimeFolderTheSocketLiesInAFolderOfTheUserInTmp() throws {
        #expect(try address([:]).socket == "/tmp/docent-1000/host.sock")
    }

    @Test func theRootComesFromDOCENT_ROOTThenXDG_DATA_HOMEThenHOME() throws {
        var environment = ["HOME": "/h", "XDG_DATA_HOME": "/data", "DOCENT_ROOT": "/root"]
        #expect(try address(environment).root == "/root")
        environment["DOCENT_ROOT"] = ""
        #expect(try address(environment).root == "/data/docent")
        environment["XDG_DATA_HOME"] = "relative is ignored"
        #expect(try address(environment).root == "/h/.local/share/docent")
    }

    @Test func everyOtherRootHasASocketOfItsOwn() throws {
        let environment = ["XDG_RUNTIME_DIR": "/run/user/1000"]
        let usual = try address(environment)
        let one = try address(environment.merging(["DOCENT_ROOT": "/one"]) { $1 })
        let two = try address(environment.merging(["XDG_DATA_HOME": "/two"]) { $1 })
        #expect(usual.socket == "/run/user/1000/docent/host.sock")
        // Fixed for ever: a daemon and a tool of different releases must agree.
        #expect(one.socket == "/run/user/1000/docent/host-bc68099c6e640cb6.sock")
        #expect(Set([usual.socket, one.socket, two.socket]).count == 3)
    }

    @Test func twoNamesOfOneRootGiveOneSocket() throws {
        let canonical: (String) -> String = { $0 == "/link" ? "/real" : $0 }
        let one = try address(["DOCENT_ROOT": "/link"], canonical: canonical)
        let two = try address(["DOCENT_ROOT": "/real"], canonical: canonical)
        #expect(one == two)
    }

    @Test func aRelativeRootIsRefused() {
        let error = #expect(throws: DocumentError.self) { try address(["DOCENT_ROOT": "here"]) }
        #expect(error?.message == "DOCENT_ROOT is “here”: set it to an absolute path.")
    }

    @Test func aSocketPathThatLinuxCannotHoldIsRefusedWithAWayOut() throws {
        let longest = "/" + String(repeating: "x", count: 107 - "/docent/host.sock".utf8.count - 1)
        #expect(try address(["XDG_RUNTIME_DIR": longest]).socket.utf8.count == 107)
        let error = #expect(throws: DocumentError.self) { try address(["XDG_RUNTIME_DIR": longest + "x"]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("has 108 bytes") == true)
        #expect(error?.message.contains("set XDG_RUNTIME_DIR") == true)
    }
}
