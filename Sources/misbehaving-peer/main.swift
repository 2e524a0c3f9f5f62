import Glibc

exit(PeerProgram.main(Array(CommandLine.arguments.dropFirst())))
