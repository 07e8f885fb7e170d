/** The command line of an application with users, sessions and an audit. */
import { runCommandLine } from 'bindery-server'
import { keys, people, traces } from '../service/people.ts'

await runCommandLine(async () => [...people, keys, traces])
