/** The schedules of the application for its operator: their moments and runs, and a run now. */
import { defineRoute } from '../endpoint/define-route.ts'
import { documentedResponse } from '../endpoint/documented-response.ts'
import { ApiError } from '../errors.ts'
import { text } from '../resource/fields/text.ts'
import { scheduleKindName } from '../resource/schedules/define-schedule.ts'
import { leaveRunNow } from '../schedules/decide-moments.ts'
import { declaredSchedules, listSchedules, nextMoments } from '../schedules/schedule-list.ts'
import { type OperateRouteDeps, operatePath, operateWords, readByOperator } from './operate-words.ts'

const momentsShown = 5

/** In the order of their names, each with its next moments. */
export async function readSchedules({ engine }: OperateRouteDeps) {
  const declared = new Map(declaredSchedules(engine).map((one) => [one.partName, one]))
  const all = await listSchedules(engine)
  const schedules = all.map((one) => {
    const found = declared.get(one.name)
    return { ...one, moments: found ? nextMoments(found, engine.clock(), momentsShown) : [] }
  })
  return { schedules }
}

export const runSchedule = defineRoute({
  method: 'POST',
  path: operatePath('schedules/:name/run'),
  describe: operateWords(
    'runSchedule',
    'Run a schedule now',
    'Once, behind a run that goes on; its moments stay as they are.',
  ),
  rule: readByOperator.rule,
  limits: { rate: 'write' },
  parameters: { name: text({ required: true, maxLength: 100, description: 'The name of the schedule.' }) },
  output: { 204: documentedResponse('The run waits.') },
  errors: [...readByOperator.errors, 'not-found'],
  async run(call, { engine, note }: OperateRouteDeps) {
    const { name } = call.parameters
    const found = declaredSchedules(engine).find(({ partName }) => partName === name)
    if (!found) throw new ApiError('not-found', 'There is no such schedule')
    const effect = await leaveRunNow(engine, found)
    await note(call, 'effect-retried', { act: 'run', kind: scheduleKindName(name), effect })
    return { status: 204 }
  },
})
