import Glibc
import Programs
import Testing

@Suite("Programs beside the tests")
struct ChildProcessTests {
    @Test("An end is seen at once although programs started at the same moment live on")
    func endAmongOthers() async throws {
        let programs = try await withThrowingTaskGroup(of: (isLong: Bool, ChildProcess).self) { group in
            for number in 0..<64 {
                let isLong = number.isMultiple(of: 2)
                group.addTask {
                    (isLong, try ChildProcess("/bin/sleep", [isLong ? "3600" : "0"], environment: [:]))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (isLong, program) in programs where !isLong { #expect(try await program.wait(seconds: 120) == 0) }
        for (isLong, program) in programs where isLong {
            program.send(SIGTERM)
            #expect(try await program.wait(seconds: 120) == 128 + SIGTERM)
        }
    }

    @Test("It has its own three files open, and no other")
    func descriptors() async throws {
        let ours = try TemporaryFolder()
        try ours.write("", to: "inherited")
        let inherited = unsafe open(ours.file("inherited"), O_RDONLY)
        defer { close(inherited) }
        let shell = try await run("/bin/sh", ["-c", "test ! -e /proc/$$/fd/\(inherited) && cat"], input: "said")
        #expect(shell.exit == 0)
        #expect(shell.output == "said")
    }

    @Test("A program that is not there is not started, and the error says why")
    func absent() throws {
        let folder = try TemporaryFolder()
        #expect { try ChildProcess(folder.file("absent"), [], environment: [:]) } throws: { error in
            (error as? ChildProcess.NotStarted)?.errno == ENOENT
        }
    }
}
