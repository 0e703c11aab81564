import Glibc
import Terminal

let console = Console.standard(environment: ProcessEnvironment.all)
let code = await AdminProgram.make(.live).run(Array(CommandLine.arguments.dropFirst()), on: console)
exit(code.rawValue)
