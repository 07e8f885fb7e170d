/**
 * The routes for those who run the service, below `/_operate`. They show what other features have:
 * each room gives its facts, and this one admits the operator alone.
 */
import { defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import type { RouteContext } from '../endpoint/route-access.ts'
import { ApiError } from '../errors.ts'
import { feedResources } from '../events/feed-room.ts'
import { text } from '../resource/fields/text.ts'
import { jobType } from '../resource/jobs/define-job.ts'
import { scheduleType } from '../resource/schedules/define-schedule.ts'
import { readFeedFacts } from './feed-state.ts'
import { askForBackup, readBackups } from './kept-backups.ts'
import { changeJob, listJobs } from './listed-jobs.ts'
import { facts, type OperateRouteDeps, operatePath, operateWords, readByOperator } from './operate-words.ts'
import { roleMatrix } from './role-matrix.ts'
import { readSchedules, runSchedule } from './schedule-runs.ts'
import { readUsedFiles } from './used-files.ts'
import { changeEffect, effectQuery, readEffects } from './waiting-effects.ts'

export type { OperateRouteDeps } from './operate-words.ts'

type EffectFilter = Parameters<typeof readEffects>[1]

const parts: Readonly<Record<string, (needs: OperateRouteDeps, filter: EffectFilter) => unknown>> = {
  roles: ({ engine }) => roleMatrix(engine),
  findings: async ({ findings }) => ({ findings: await findings() }),
  settings: ({ settings }) => ({ settings }),
  statements: ({ statements }) => statements(),
  backups: readBackups,
  effects: readEffects,
  schedules: readSchedules,
}

const readFacts = defineRoute({
  method: 'GET',
  path: operatePath(':part'),
  describe: operateWords(
    'readOperation',
    'Get facts of the service',
    '`roles`: what each role may do, by resource and operation, with the rule in words. `findings`: what is wrong and what to do, as `bindery doctor` without the parts that read the database whole. `settings`: every variable, but no secret. `statements`: slow statements of the last day, without values. `backups`. `effects`: the work that waits, such as mails. `schedules`.',
  ),
  ...readByOperator,
  parameters: { part: text({ required: true, maxLength: 20, description: 'The facts.' }) },
  query: effectQuery,
  errors: [...readByOperator.errors, 'not-found'],
  async run({ parameters: { part }, query }, needs: OperateRouteDeps) {
    const read = Object.hasOwn(parts, part) ? parts[part] : undefined
    if (!read) throw new ApiError('not-found', `There are ${Object.keys(parts).join(', ')}`)
    return facts(await read(needs, query))
  },
})

/** Not served without users; those of jobs, schedules and changes only where there are some. */
export function operateRoutes({ catalog }: RouteContext): RouteGroup<OperateRouteDeps> {
  const { login, parts, files } = catalog
  if (!login) return { routes: [] }
  const ofJobs = parts.of(jobType).length > 0 ? [listJobs, changeJob] : []
  const ofSchedules = parts.of(scheduleType).length > 0 ? [runSchedule] : []
  const ofFeed = feedResources(catalog).length > 0 ? [readFeedFacts] : []
  const ofFiles = files ? [readUsedFiles] : []
  return { routes: [readFacts, ...ofFiles, ...ofFeed, askForBackup, changeEffect, ...ofJobs, ...ofSchedules] }
}
