/** The command line of the application whose roles are its own. */
import { runCommandLine } from '../../src/index.ts'
import { library } from './library-people.ts'

await runCommandLine(async () => library)
