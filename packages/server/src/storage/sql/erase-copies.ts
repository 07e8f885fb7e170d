/**
 * Erases the copies of removed records in the tables of the service: values in the change log, kept
 * answers, waiting effects, and jobs. Copies in other resources go with their records.
 */
import { changesTable } from '../changes.ts'
import type { ChangedRecord, ErasedCopies } from '../storage.ts'
import { effectsTable } from '../stored-effects.ts'
import { jobsTable } from '../stored-jobs.ts'
import { requestsTable } from './done-requests.ts'
import type { EffectDialect } from './effect-statements.ts'
import { erasedDetail } from './logged-values.ts'
import type { Executor } from './reader.ts'
import { textsOfDialect } from './texts-of-dialect.ts'

export type EraseCopies = (
  gone: readonly ChangedRecord[],
  words: readonly string[],
) => Promise<Pick<ErasedCopies, 'log' | 'answers' | 'effects'>>

/** Whether the text has that part. */
const has = (text: string, part: string) => `replace(${text}, ${part}, '') <> ${text}`

/**
 * The columns have the names of their tables: SQLite's list of elements has some of the same names.
 * A row of many loses the values of all, because the log has its records in one text.
 */
function statementsOf({ each, cell, only }: EffectDialect) {
  const [resource, id, start] = [0, 1, 2].map((at) => cell(at, 'text'))
  const someWord = (text: string) => `EXISTS (SELECT 1 FROM ${each('$1')} WHERE ${has(text, only('text'))})`
  const user = `'"userId":"' || coalesce(user_id, '') || '"'`
  const jobTexts = [
    user,
    "coalesce(tenant, '')",
    'input',
    "coalesce(progress, '')",
    "coalesce(result, '')",
    "coalesce(refusal, '')",
  ]
  const namingSteps = someWord("coalesce(steps, '')")
  const namingJobs = jobTexts.map(someWord).join(' OR ')
  return {
    log: `UPDATE ${changesTable} SET detail = '${erasedDetail}' WHERE detail IS NOT NULL AND EXISTS (SELECT 1 FROM ${each('$1')}
      WHERE ${changesTable}.resource = ${resource} AND (${changesTable}.id = ${id} OR ${has(`${changesTable}.records`, start as string)}))`,
    answers: `DELETE FROM ${requestsTable} WHERE ${someWord('answer')}`,
    effects: `DELETE FROM ${effectsTable} WHERE EXISTS (SELECT 1 FROM ${each('$1')}
      WHERE ${effectsTable}.key = ${id} AND ${effectsTable}.kind LIKE ${resource} || '.%')`,
    jobEffects: `DELETE FROM ${effectsTable} WHERE id IN (SELECT id FROM ${jobsTable} WHERE ${namingJobs})`,
    jobs: `DELETE FROM ${jobsTable} WHERE ${namingJobs}`,
    mails: `DELETE FROM ${effectsTable} WHERE kind NOT LIKE '%.%' AND ${someWord('payload')}`,
    jobsOfSteps: `DELETE FROM ${jobsTable} WHERE id IN (SELECT id FROM ${effectsTable} WHERE kind LIKE 'job.%' AND ${namingSteps})`,
    steps: `DELETE FROM ${effectsTable} WHERE ${namingSteps}`,
  }
}

const textsOf = textsOfDialect(statementsOf)

/** `"id":12,` or `"id":12}` in an answer, also where that is a text in a text. */
function wordsOf({ of, id }: ChangedRecord): readonly string[] {
  if (typeof id === 'string') return [id]
  const asTenant = JSON.stringify([of, id])
  return [asTenant, ...[',', '}'].flatMap((end) => [`"id":${id}${end}`, `\\"id\\":${id}${end}`])]
}

export function makeEraseCopies(dialect: EffectDialect, { run }: Executor): EraseCopies {
  const texts = textsOf(dialect)
  return async (gone, more) => {
    const rows = JSON.stringify(gone.map(({ of, id }) => [of, String(id), `[${JSON.stringify(id)},`]))
    const words = JSON.stringify([...gone.flatMap(wordsOf), ...more])
    const erase = async (sql: string, parameter: string) => run({ sql, parameters: [parameter] })
    const effects = await erase(texts.effects, rows)
    // An id alone says too little of a person to end the work of others.
    const named = JSON.stringify(more)
    const jobs = await erase(texts.jobsOfSteps, named)
    const steps = await erase(texts.steps, named)
    await erase(texts.jobEffects, words)
    return {
      log: await erase(texts.log, rows),
      answers: await erase(texts.answers, words),
      effects: effects + jobs + steps + (await erase(texts.mails, words)) + (await erase(texts.jobs, words)),
    }
  }
}
