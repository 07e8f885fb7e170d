/** The command line of an application that has notes and no users. */
import { runCommandLine } from '../../src/index.ts'
import { notes } from './people.ts'

await runCommandLine(async () => [notes])
