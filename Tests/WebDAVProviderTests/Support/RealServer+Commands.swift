import DocumentTestSupport
import Glibc
import SystemPackage

extension RealServer {
    struct Command {
        var program: String
        var arguments: [String]
        var environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"]
    }

    /// Writes the server's configuration, and says how it is started.
    func command(_ extra: Extra) throws -> Command {
        switch kind {
        case .lighttpd:
            try write(try lighttpd(extra), to: "own/lighttpd.conf")
            return Command(program: "/usr/sbin/lighttpd", arguments: ["-D", "-f", "\(base)/own/lighttpd.conf"])
        case .apache:
            try write(apache, to: "own/apache.conf")
            // One process, so that ending it ends all.
            return Command(program: "/usr/sbin/apache2", arguments: ["-X", "-f", "\(base)/own/apache.conf"])
        case .nginx:
            try write(nginx, to: "own/nginx.conf")
            return Command(
                program: "/usr/sbin/nginx", arguments: ["-p", "\(base)/own", "-c", "\(base)/own/nginx.conf"])
        case .rclone:
            return Command(
                program: "/usr/bin/rclone",
                arguments: [
                    "serve", "webdav", folder.string, "--addr", "127.0.0.1:\(port)", "--config", "\(base)/own/none",
                    "--dir-cache-time", "0s", "--log-file", "\(base)/own/log",
                ])
        case .wsgidav:
            var command = Command(
                program: "/usr/bin/env",
                arguments: [
                    "python3", "-m", "wsgidav.server.server_cli", "--host", "127.0.0.1", "--port", "\(port)", "--root",
                    folder.string, "--auth", "anonymous", "--server", "cheroot", "-q",
                ])
            let library = try BuiltProducts.packageFolder().appending(".build/wsgidav")
            guard access(library.string, R_OK) == 0 else {
                throw Failure(description: "WsgiDAV is not there: run scripts/lib/wsgidav.sh")
            }
            command.environment["PYTHONPATH"] = library.string
            if let path = getenv("PATH") { command.environment["PATH"] = String(cString: path) }
            return command
        }
    }

    private func lighttpd(_ extra: Extra) throws -> String {
        var modules = ["mod_webdav"]
        var lines = ""
        switch extra {
        case .none: break
        case .signIn:
            modules = ["mod_auth", "mod_authn_file"] + modules
            try write("\(Self.user):\(Self.password)\n", to: "own/users")
            lines = """
                auth.backend = "plain"
                auth.backend.plain.userfile = "\(base)/own/users"
                auth.require = ( "/" => ( "method" => "basic", "realm" => "here", "require" => "valid-user" ) )
                """
        case .encrypted, .encryptedForAnother, .encryptedUntilYesterday:
            modules.append("mod_openssl")
            try makeCertificate(
                for: extra == .encryptedForAnother ? "DNS:files.example" : "IP:127.0.0.1",
                days: extra == .encryptedUntilYesterday ? -1 : 30)
            lines = """
                ssl.engine = "enable"
                ssl.pemfile = "\(base)/own/server.pem"
                """
        }
        return """
            server.document-root = "\(folder)"
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.errorlog = "\(base)/own/log"
            server.upload-dirs = ( "\(base)/own" )
            server.modules = ( \(modules.map { "\"\($0)\"" }.joined(separator: ", ")) )
            webdav.activate = "enable"
            webdav.is-readonly = "disable"
            mimetype.assign = ( "" => "application/octet-stream" )
            \(lines)

            """
    }

    private var apache: String {
        let modules = "/usr/lib/apache2/modules"
        return """
            ServerRoot "\(base)/own"
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(port)
            PidFile "\(base)/own/pid"
            ErrorLog "\(base)/own/log"
            User www-data
            Group www-data
            LoadModule mpm_event_module \(modules)/mod_mpm_event.so
            LoadModule authz_core_module \(modules)/mod_authz_core.so
            LoadModule dav_module \(modules)/mod_dav.so
            LoadModule dav_fs_module \(modules)/mod_dav_fs.so
            DocumentRoot "\(folder)"
            DavLockDB "\(base)/own/locks"
            <Directory "\(folder)">
                Dav On
                Require all granted
            </Directory>

            """
    }

    private var nginx: String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "    \($0)_temp_path \(base)/own/\($0);\n"
        }.joined()
        return """
            load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
            daemon off;
            master_process off;
            pid \(base)/own/pid;
            error_log \(base)/own/log;
            events {}
            http {
                access_log off;
                client_max_body_size 0;
            \(temporary)
                server {
                    listen 127.0.0.1:\(port);
                    root \(folder);
                    location / {
                        dav_methods PUT DELETE MKCOL COPY MOVE;
                        dav_ext_methods PROPFIND OPTIONS;
                    }
                }
            }

            """
    }

    private func makeCertificate(for name: String, days: Int) throws {
        let (key, request) = ("\(base)/own/key.pem", "\(base)/own/request.pem")
        try Loopback.run(
            "/usr/bin/openssl",
            [
                "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=here", "-addext", "subjectAltName=\(name)",
                "-keyout", key, "-out", request,
            ])
        try Loopback.run(
            "/usr/bin/openssl",
            [
                "x509", "-req", "-in", request, "-signkey", key, "-days", "\(days)", "-copy_extensions", "copy", "-out",
                "\(base)/own/certificate.pem",
            ])
        let parts = try ["key", "certificate"].map { try TemporaryFile.read(base.appending("own/\($0).pem")) }
        try write(parts.joined(), to: "own/server.pem")
    }

    func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = try FileDescriptor.open(
            base.appending(path), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: FilePermissions(rawValue: 0o644))
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }
}
