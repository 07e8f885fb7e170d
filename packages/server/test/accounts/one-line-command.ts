/** The command line of the application that says its people in one line. */
import { runCommandLine } from '../../src/index.ts'
import { resources } from './one-line-app.ts'

await runCommandLine(async () => resources)
