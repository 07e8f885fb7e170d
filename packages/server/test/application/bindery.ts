/** The command line of the library. */
import { runCommandLine } from 'bindery-server'

await runCommandLine(async () => (await import('./resources/index.ts')).resources)
