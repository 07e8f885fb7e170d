/** The command line of the library. */
import { runCommandLine } from 'bindery-server'
import { library } from './library.ts'

await runCommandLine(async () => library() as never)
