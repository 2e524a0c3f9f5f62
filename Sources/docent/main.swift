import DocentCommands
import Glibc

// Swift would put other characters in the place of bytes that are not UTF-8, and another name would be meant.
var words: [String] = []
for pointer in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst() {
    guard let pointer else { break }
    guard let word = String(validatingCString: pointer) else {
        exit(DocentTool.refuse(notUTF8: String(cString: pointer)))
    }
    words.append(word)
}
exit(await DocentTool.run(words))
