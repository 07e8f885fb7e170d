/** The command line of the application with roles of its own (`library-people.ts`). */
import { runCommandLine } from '../../src/index.ts'
import { library } from './library-people.ts'

await runCommandLine(async () => library)
