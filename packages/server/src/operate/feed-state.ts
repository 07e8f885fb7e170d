/** The state of the feed of changes, for operators: what is kept, and who holds it back. */
import { timestampOf } from '../base/clock.ts'
import { defineRoute } from '../endpoint/define-route.ts'
import { readFeedState } from '../events/feed-figures.ts'
import { facts, type OperateRouteDeps, operatePath, operateWords, readByOperator } from './operate-words.ts'

const holdersShown = 5

/** Served where a resource keeps its changes. */
export const readFeedFacts = defineRoute({
  method: 'GET',
  path: operatePath('feed'),
  describe: operateWords(
    'readFeedFacts',
    'Get the state of the feed of changes',
    '`position`: the present one, and `recent` the one before the last changes. `rows` and `bytes` are kept, at most for `keepMs` and up to `keepBytes`. `lagMs`: how long the oldest committed change waits that readers do not get yet. `holders`: open transactions of the database that hold it back. `readers` are those of this process.',
  ),
  ...readByOperator,
  async run({ caller }, { feed, changesKept }: OperateRouteDeps) {
    if (!feed) throw new Error('the route is served where there is a feed')
    const { oldestMs, holders, ...state } = await readFeedState(feed, caller)
    return facts({
      ...state,
      oldestAt: oldestMs === undefined ? null : timestampOf(oldestMs),
      keepMs: changesKept.ms,
      keepBytes: changesKept.bytesMax,
      holders: holders.slice(0, holdersShown),
    })
  },
})
