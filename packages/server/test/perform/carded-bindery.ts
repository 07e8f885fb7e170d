/** The command line of the cards, for tests of rules of fields. */
import { runCommandLine } from 'bindery-server'

await runCommandLine(async () => (await import('./carded-people.ts')).declarations)
