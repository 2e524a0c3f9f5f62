import DocumentService
import Glibc

exit(await DaemonProgram.main(arguments: Array(CommandLine.arguments.dropFirst())))
