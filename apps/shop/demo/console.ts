/**
 * Runs the shop's command line as a separate process, for the steps of the demo that only an
 * operator may do.
 */
import { runCommandLine } from 'bindery-server'
import { resources } from '../resources/index.ts'

await runCommandLine(async () => resources)
