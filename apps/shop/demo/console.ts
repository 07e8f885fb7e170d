/**
 * The command line of the demo, a process of its own beside the server: what only an operator may
 * do.
 */
import { runCommandLine } from 'bindery-server'
import { resources } from '../resources/index.ts'

await runCommandLine(async () => resources)
