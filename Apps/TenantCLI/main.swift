import Terminal

let console = Console.standard(environment: ProcessEnvironment.variables)
let code = await TenantProgram.make(.live).run(Array(CommandLine.arguments.dropFirst()), on: console)
ProcessEnvironment.exit(code.rawValue)
