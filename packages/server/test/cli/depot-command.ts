/** The command line of the depot. */
import { runCommandLine } from 'bindery-server'
import { depot } from './depot.ts'

await runCommandLine(async () => depot)
