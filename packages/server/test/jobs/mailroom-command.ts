/** The command line of the application with jobs; `MAILROOM=small` has one job less. */
import { runCommandLine } from 'bindery-server'
import { mailroom, smallMailroom } from './mailroom.ts'

await runCommandLine(async () => (process.env.MAILROOM === 'small' ? smallMailroom : mailroom))
