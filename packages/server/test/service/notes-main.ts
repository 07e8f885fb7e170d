/** A program with notes and the users who write them, for tests that need a separate process. */
import { runService } from '../../src/index.ts'
import { keys, notes, people } from './people.ts'

await runService([notes, ...people, keys])
