/**
 * Schedules for operators: the command line, the doctor and metrics. A backup and a copy know which
 * moments are decided.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { databaseOf, startService, type TestService } from '../../src/testing/index.ts'
import { type Bindery, embedded, makeBindery } from '../cli/bindery.ts'
import { makePlace } from '../cli/places.ts'
import { clockwork, ran } from './clockwork.ts'

const command = new URL('./clockwork-command.ts', import.meta.url).pathname
const from = Date.parse('2026-06-01T11:30:00Z')
const hourMs = 60 * 60_000

type Where = { readonly t: TestContext; readonly bindery: Bindery; readonly env?: Record<string, string> }

async function started({ t, bindery, env }: Where, fromMs: number): Promise<TestService> {
  const database = env ?? (await databaseOf(bindery.folder))
  const service = await startService(clockwork, {
    env: { DATA_DIR: bindery.folder, ...database },
    clock: () => fromMs,
    mayFail: ['schedule.failing'],
  })
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= service.stop())
  t.after(stop)
  return { ...service, stop }
}

describe('schedules on the command line', () => {
  it('are listed, shown and run, and the doctor tells what was missed', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, command)
    const service = await started({ t, bindery }, from)
    await service.advance(16 * hourMs)
    assert.deepEqual(ran.splice(0), ['nightly 2026-06-02T00:30:00.000Z +0'])
    const text = JSON.stringify(await service.service.observing.gather(10_000))
    assert.match(
      text,
      /"bindery_schedule_moments_total".*?\{"labels":\{"schedule":"nightly","result":"run"\},"value":1\}/,
    )
    assert.match(text, /\{"labels":\{"schedule":"failing","result":"run"\},"value":1\}/)
    assert.match(text, /"bindery_schedule_lag_seconds".*?\{"labels":\{"schedule":"nightly"\},"value":0\}/)
    assert.match(text, /\{"labels":\{"kind":"schedule.nightly","result":"done"\},"value":1\}/)
    await service.stop()

    const [second, first] = await bindery.values('schedules', 'list')
    assert.deepEqual(
      { ...first, nextAt: null },
      {
        name: 'nightly',
        cron: '30 2 * * *',
        zone: 'Europe/Berlin',
        missed: 'once',
        isDeclared: true,
        nextAt: null,
        endedAt: '2026-06-02T00:30:00.000Z',
        missedAt: null,
        missedMoments: 0,
        waiting: 0,
        givenUp: 0,
      },
    )
    assert.match(String(first?.nextAt), /T0[01]:30:00\.000Z$/)
    assert.deepEqual(
      [second?.name, second?.zone, second?.missed, second?.givenUp, second?.endedAt],
      ['failing', 'UTC', 'skip', 1, null],
    )
    const table = await bindery.run(['schedules', 'list'])
    assert.match(table.stdout, /^NAME +CRON +ZONE +MISSED +NEXT AT +ENDED AT +WAITING +GIVEN UP\n/)
    const [shown] = await bindery.values('schedules', 'show', 'failing', '--count', '3')
    const moments = shown?.moments as string[]
    assert.equal(moments.length, 3)
    assert.ok(
      moments.every((one) => one.endsWith('-01T12:00:00.000Z')),
      moments.join(),
    )
    assert.equal(shown?.nextAt, moments[0])

    const doctor = JSON.parse((await bindery.run(['doctor', '--json'])).stdout) as {
      findings: { check: string; where: string; what: string }[]
    }
    const told = doctor.findings.filter(({ check }) => check === 'schedules' || check === 'effects')
    assert.deepEqual(
      told.map(({ where, what }) => `${where}: ${what}`),
      [
        'effects of schedule.failing: 1 effect is given up, one of them for: the press is out of ink',
        'the schedule failing: its moment 2026-07-01T12:00:00.000Z has passed, and no server decided it',
        'the schedule nightly: its moment 2026-06-03T00:30:00.000Z has passed, and no server decided it',
      ],
    )

    const { stdout } = await bindery.run(['schedules', 'run', 'nightly'])
    assert.equal(stdout, 'A run of nightly waits: a running server takes it within ten seconds.\n')
    assert.equal((await bindery.values('schedules', 'list')).at(-1)?.waiting, 1)
    const wrong = await bindery.run(['schedules', 'run', 'nigthly'])
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /unknown schedule nigthly; did you mean "nightly"\?/)
    assert.match(
      (await bindery.run(['schedules', 'show', 'nightly', '--count', '0'])).stderr,
      /--count is a whole number from 1/,
    )

    const later = await started({ t, bindery }, Date.now())
    await later.sweep()
    assert.equal(ran.length, 2, 'one made up for all that were missed, and one by hand')
    assert.match(String(ran[0]), /^nightly 20\S+ \+0$/)
    assert.match(String(ran[1]), /^nightly \S+ \+[1-9]\d+$/)
    ran.length = 0
    await later.stop()
    const known = JSON.parse((await bindery.run(['doctor', '--json'])).stdout) as typeof doctor
    assert.match(
      JSON.stringify(known.findings),
      /the schedule nightly","what":"\d+ moments passed without a run of their own, as of /,
    )
  })

  it('a backup and a copy know what is decided: moments since then are missed', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded, command)
    const service = await started({ t, bindery, env: { DATABASE_URL: '' } }, from)
    await service.advance(16 * hourMs)
    await service.stop()
    ran.length = 0
    const done = async (...args: string[]) => {
      const { code, stderr } = await bindery.run(args)
      assert.equal(code, 0, stderr)
    }
    await done('backup', bindery.path('a.tar.zst'))
    const [restored, copied] = [await makePlace(t, bindery, 'postgres'), await makePlace(t, bindery, 'postgres')]
    const into = { env: { DATABASE_URL: restored.url } }
    const restore = await bindery.run(['restore', bindery.path('a.tar.zst'), '--yes'], into)
    assert.equal(restore.code, 0, restore.stderr)
    await done('copy', '--from', `sqlite:${bindery.path('bindery.db')}`, '--to', copied.url)
    for (const { url } of [restored, copied]) {
      const again = await started({ t, bindery, env: { DATABASE_URL: url } }, from + 4 * 24 * hourMs)
      await again.sweep()
      assert.deepEqual(ran.splice(0), ['nightly 2026-06-05T00:30:00.000Z +2'])
      await again.stop()
    }
  })
})
