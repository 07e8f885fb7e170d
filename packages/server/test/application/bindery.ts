/** The command line of the library, the application of the engine's own tests. */
import { runCommandLine } from 'bindery-server'

await runCommandLine(async () => (await import('./resources/index.ts')).resources)
