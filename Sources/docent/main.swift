import DocentCommands
import Glibc

exit(await DocentTool.run(Array(CommandLine.arguments.dropFirst())))
