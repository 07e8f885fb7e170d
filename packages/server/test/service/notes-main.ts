/**
 * A program that serves notes and the people who write them, for tests that need a process of its
 * own.
 */
import { runService } from '../../src/index.ts'
import { keys, notes, people } from './people.ts'

await runService([notes, ...people, keys])
