/**
 * The command line of the application that declares its accounts in one line (`one-line-app.ts`).
 */
import { runCommandLine } from '../../src/index.ts'
import { resources } from './one-line-app.ts'

await runCommandLine(async () => resources)
