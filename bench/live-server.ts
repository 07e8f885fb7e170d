/** Serves the application of `live.ts`, and tells its memory and processor time. */
import {
  anyOf,
  choice,
  defineResource,
  id,
  integer,
  owner,
  reference,
  role,
  text,
  user,
  where,
} from '../packages/server/src/index.ts'
import { startService } from '../packages/server/src/testing/index.ts'
import { people } from '../packages/server/test/events/library.ts'

export type ServerFigures = { readonly rss: number; readonly heap: number; readonly cpuMs: number }
export type ServerWord = 'gc' | 'look' | 'end'
export type ServerStart = { readonly url: string; readonly tokens: readonly string[] }

const notes = defineResource({
  name: 'note',
  path: '/notes',
  changes: true,
  fields: {
    id: id(),
    ownerId: reference('user', { onDelete: 'clear' }),
    state: choice(['DRAFT', 'OPEN', 'DONE'], { default: 'DRAFT' }),
    rank: integer({ default: 0 }),
    title: text({ maxLength: 100 }),
  },
  list: { style: 'page', filterable: ['state', 'rank'] },
  access: { read: anyOf([role('ADMIN'), owner('ownerId'), where({ state: 'OPEN' })]), write: user },
})

const [count = '0'] = process.argv.slice(2)
const { DATA_DIR = '', DATABASE_URL = '' } = process.env
const env = { DATA_DIR, DATABASE_URL, CONNECTIONS_PER_ADDRESS: '10000', LOG_LEVEL: 'error' }
const service = await startService([notes, ...people], { env })

function figures(): ServerFigures {
  const { rss, heapUsed } = process.memoryUsage()
  const { user: own, system } = process.cpuUsage()
  return { rss, heap: heapUsed, cpuMs: (own + system) / 1000 }
}
process.on('message', (word: ServerWord) => {
  if (word === 'end') process.exit()
  if (word === 'gc') globalThis.gc?.()
  process.send?.(figures())
})
const tokens: string[] = []
if (Number(count) > 0) tokens.push((await service.admin()).token)
for (let i = 1; i < Number(count); i += 1) tokens.push((await service.person()).token)
process.send?.({ url: service.url, tokens } satisfies ServerStart)
