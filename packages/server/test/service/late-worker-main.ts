/**
 * A program whose second worker ends before it serves, as when its database has no free connection
 * for a moment.
 */
import cluster from 'node:cluster'
import { runService } from '../../src/index.ts'
import { keys, notes, people } from './people.ts'

if (cluster.worker?.id === 2) process.exit(1)
await runService([notes, ...people, keys])
