/** The command line of the library with webhooks. */
import { runCommandLine } from '../../src/index.ts'
import { library } from './library-with-hooks.ts'

await runCommandLine(async () => library() as never)
