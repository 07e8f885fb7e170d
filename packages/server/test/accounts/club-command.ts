/** The command line of the application whose roles are sets of abilities (`club-people.ts`). */
import { runCommandLine } from '../../src/index.ts'
import { club } from './club-people.ts'

await runCommandLine(async () => club)
