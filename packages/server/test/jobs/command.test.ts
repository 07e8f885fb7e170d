/**
 * `bindery jobs`: lists, shows, retries, gives up and cancels. Its changes are in the audit, and
 * the doctor names jobs that failed and those whose declaration is gone.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { boundJobs } from '../../src/record/jobs/add-job.ts'
import { always } from '../../src/resource/condition.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { databaseOf, startService } from '../../src/testing/index.ts'
import { type Bindery, makeBindery } from '../cli/bindery.ts'
import { file, mailroom } from './mailroom.ts'

const command = new URL('./mailroom-command.ts', import.meta.url).pathname
const small = { env: { MAILROOM: 'small' } }

/** The jobs of the tests below: one done, one failed, three that wait. */
async function fill(t: TestContext, bindery: Bindery) {
  const env = { DATA_DIR: bindery.folder, ...(await databaseOf(bindery.folder)) }
  const service = await startService(mailroom, { env, mayFail: true })
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= service.stop())
  t.after(stop)
  const ann = await service.person()
  const { id } = (await service.ask('POST', '/api/v1/letters', { body: { body: 'cli' } })).body
  const act = async (body: object) => {
    const { status, text } = await service.ask('POST', `/api/v1/letters/${id}/add-many`, { body, token: ann.token })
    assert.equal(status, 200, text)
  }
  await act({ text: 'refused' })
  await service.sweep()
  for (const queue of ['front', 'back']) await act({ text: `cli ${queue}`, queue, waitMs: 3_600_000 })
  await service.service.engine.records.transaction(serviceAuthor, async (tx) => {
    await boundJobs(tx)(file).add(
      { drawer: 'A\u001b[31m' },
      { at: new Date(service.now() + 3_600_000), dedupe: { key: 'A', mode: 'keep' } },
    )
  })
  const metrics = await service.service.observing.gather(10_000)
  await stop()
  return { ann, env, metrics }
}

async function events(env: Record<string, string>): Promise<string[]> {
  const { catalog, storage } = await openEngine(readConfig(env), mailroom)
  const sort = [{ field: 'id', descending: false }]
  const rows = await storage.list(catalog.get('trace'), { where: always, sort, limit: 100 })
  await storage.close()
  return rows
    .filter(({ event }) => String(event).startsWith('effect'))
    .map(({ event, details }) => `${event} ${details}`)
}

async function findings(bindery: Bindery, options = {}): Promise<string[]> {
  const { stdout } = await bindery.run(['doctor', '--json'], options)
  const { findings: all } = JSON.parse(stdout) as { findings: { check: string; where: string; what: string }[] }
  return all.filter(({ check }) => check === 'effects').map(({ where, what }) => `${where}: ${what}`)
}

describe('bindery jobs', () => {
  it('shows what there is, and changes it', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, command)
    const { ann, env, metrics } = await fill(t, bindery)
    const told = (name: string) => JSON.stringify(metrics.find((one) => one.name === name))
    for (const result of ['done', 'given-up'])
      assert.ok(told('bindery_effect_tries_total').includes(`{"kind":"job.stamp","result":"${result}"},"value":1}`))
    assert.match(told('bindery_effect_duration_seconds'), /"kind":"job.stamp"\},"counts":\[[\d,]*[12]/)
    assert.ok(told('bindery_effects').includes('{"kind":"job.stamp","state":"waiting"},"value":2}'))

    const listed = await bindery.values('jobs', 'list')
    const [done, failed, front, back, filed] = listed as [(typeof listed)[0], ...typeof listed]
    assert.deepEqual(
      listed.map(({ job, state, user, queue, key, tries, error }) => [job, state, user, queue, key, tries, error]),
      [
        ['stamp', 'done', null, null, null, 1, null],
        ['stamp', 'failed', ann.id, null, null, 1, 'No stamp is left'],
        ['stamp', 'waiting', ann.id, 'front', null, 0, null],
        ['stamp', 'waiting', ann.id, 'back', null, 0, null],
        ['file', 'waiting', null, null, 'A', 0, null],
      ],
    )
    assert.ok(!('input' in done) && !('result' in done), 'lists have no personal data')
    const said = async (...args: string[]) => {
      const { stdout, stderr, code } = await bindery.run(['jobs', ...args])
      return code === 0 ? stdout : `${code} ${stderr}`
    }
    const idOf = (job: Record<string, unknown> | undefined) => String(job?.id)
    const table = await bindery.run(['jobs', 'list', '--state', 'failed'])
    assert.match(
      table.stdout,
      /^ID +JOB +STATE +USER +QUEUE +KEY +TRIES +ADDED AT +DUE AT +ERROR\n\S+ +stamp +failed .* No stamp is left\n$/,
    )
    assert.match(table.stderr, /^1 job\n$/)
    assert.equal((await bindery.values('jobs', 'list', '--job', 'file')).length, 1)

    const [shown] = await bindery.values('jobs', 'show', idOf(done))
    assert.deepEqual(
      [shown?.input, shown?.result, shown?.progress],
      [
        { text: 'hook cli', price: 80, copies: null },
        { stamped: 'hook cli by none', price: 0.8 },
        { done: 1, total: 2, note: 'half' },
      ],
    )
    const own = await said('show', idOf(filed))
    assert.match(own, /input +\{"drawer":"A\\u001b\[31m"\}\n/)
    assert.match(await said('show', '0'), /^1 error: 0 begins more than one id: write more of it\n$/)
    assert.match(
      await said('show', 'none'),
      /^1 error: There is no job none: it has ended and is kept no more, or never was\n$/,
    )
    assert.match(await said('list', '--job', 'stmap'), /^2 error: unknown job stmap; there are stamp, weigh, file\n$/)
    assert.match(
      await said('list', '--state', 'lazy'),
      /^2 error: --state is one of waiting, running, done, failed, cancelled, not lazy\n$/,
    )
    for (const act of ['retry', 'give-up', 'cancel']) {
      assert.match(await said(act), /^2 error: say which, by one of: their ids, --job, or --all\n$/)
      assert.match(await said(act, idOf(front), '--all'), /^2 error: say which/)
      assert.equal(await said(act, idOf(done)), `1 error: The job ${idOf(done)} is done\n`)
    }

    assert.deepEqual(await findings(bindery), [
      'effects of job.stamp: 1 effect is given up, one of them for: No stamp is left',
    ])
    assert.deepEqual(await findings(bindery, small), [
      'effects of job.file: 1 effect waits for job.file, which this version does not declare: their work is kept, and nothing runs it',
      'effects of job.stamp: 1 effect is given up, one of them for: No stamp is left',
    ])
    const removed = await bindery.run(['jobs', 'list', '--job', 'file', '--json'], small)
    assert.equal(JSON.parse(removed.stdout).undeclared, true, removed.stderr)

    const states = async () => (await bindery.values('jobs', 'list')).map(({ state }) => state)
    assert.deepEqual(await bindery.values('jobs', 'retry', '--job', 'stamp'), [{ count: 3 }])
    assert.deepEqual(await states(), ['done', 'waiting', 'waiting', 'waiting', 'waiting'])
    assert.equal(await said('give-up', idOf(failed), idOf(back)), '2 jobs given up.\n')
    assert.equal(await said('cancel', '--all'), '2 jobs cancelled.\n')
    assert.deepEqual(await states(), ['done', 'failed', 'cancelled', 'failed', 'cancelled'])
    const [again] = await bindery.values('jobs', 'show', idOf(failed))
    assert.equal(again?.error, 'Given up by an operator; before: No stamp is left')
    assert.equal(
      await said('retry', idOf(failed)),
      '1 job tried again: a running server takes them within ten seconds.\n',
    )
    assert.deepEqual(await bindery.values('schedules', 'run', 'tidy'), [{ name: 'tidy' }])
    const [run] = await bindery.values('effects', 'list', '--kind', 'schedule.tidy')
    assert.deepEqual(await events(env), [
      'effect-retried act=retry,kind=job.stamp,count=3',
      `effect-given-up act=give-up,kind=job.stamp,effect=${idOf(failed)}`,
      `effect-given-up act=give-up,kind=job.stamp,effect=${idOf(back)}`,
      'effect-given-up act=cancel,kind=job.stamp,count=1',
      'effect-given-up act=cancel,kind=job.file,count=1',
      `effect-retried act=retry,kind=job.stamp,effect=${idOf(failed)}`,
      `effect-retried act=run,kind=schedule.tidy,effect=${run?.id}`,
    ])
    const effects = async (...args: string[]) => (await bindery.run(['effects', ...args])).stdout
    await effects('give-up', '--kind', 'schedule.tidy')
    await effects('remove', String(run?.id))
    assert.deepEqual((await events(env)).slice(-2), [
      'effect-given-up act=give-up,kind=schedule.tidy,count=1',
      `effect-given-up act=remove,kind=schedule.tidy,effect=${run?.id}`,
    ])
  })
})
