/** The command line of the application whose files are scanned. */
import { runCommandLine } from '../../src/index.ts'
import { resources } from './scan-resources.ts'

await runCommandLine(async () => resources)
