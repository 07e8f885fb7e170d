/** The command line of the application with seeds. */
import { runCommandLine } from 'bindery-server'
import { seeded } from './seeded.ts'

await runCommandLine(async () => seeded)
