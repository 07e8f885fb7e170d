/** The command line of the application with schedules. */
import { runCommandLine } from 'bindery-server'
import { clockwork } from './clockwork.ts'

await runCommandLine(async () => clockwork)
