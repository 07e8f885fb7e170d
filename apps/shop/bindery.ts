/** `npm run bindery -- <command>`: the command line, for the shop. */
import { runCommandLine } from 'bindery-server'

await runCommandLine(async () => (await import('./resources/index.ts')).resources)
