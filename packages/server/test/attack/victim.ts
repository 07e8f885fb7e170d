/**
 * Starts a server with a small heap in its own process, and a second process that measures other
 * clients' responses meanwhile.
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Ask, makeAsk, type ServerProcess, spawnServer } from '../helpers/application.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import type { Probed } from './probe.ts'

const heapMegabytes = 512
/**
 * `npm run test:timed` says how long others wait, and how much memory an attack takes: the bar is
 * 250 ms, on a machine that does nothing else.
 */
const isTimed = process.env.BINDERY_TEST_TIMED !== undefined
const answeredWithinMs = Number(process.env.ATTACK_MS ?? 250)
const grownMegabytesMax = 150
/** The answer of a server whose machine is too slow for it. */
const busy = '503'

export type Victim = {
  readonly server: ServerProcess
  readonly url: string
  readonly ask: Ask
  /**
   * Runs the attack. Others must be answered all the time, and the process live with its small
   * heap; timed, soon and with little memory.
   */
  survives(attack: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/**
 * Other tests run beside this one: where we may (as root), these processes do not wait for them.
 */
function prefer(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST)
  } catch {
    // as they are, then
  }
}

/** Resident memory of a process, in megabytes. */
function megabytesOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

export async function startVictim(env: Readonly<Record<string, string>> = {}): Promise<Victim> {
  const server = spawnServer({
    env: { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`, LOG_LEVEL: 'warn', ...env },
  })
  const url = await server.ready()
  const ask = makeAsk(url)
  const pid = server.child.pid as number
  const probe = fork(fileURLToPath(new URL('probe.ts', import.meta.url)), [url])
  if (isTimed) for (const one of [pid, probe.pid as number]) prefer(one)
  const told = (what: string) =>
    new Promise<Probed[]>((resolve) => {
      const all: Probed[] = []
      const take = (one: unknown) => {
        if (all.push(one as Probed) < 2) return
        probe.off('message', take)
        resolve(all)
      }
      probe.on('message', take)
      probe.send(what)
    })
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  // Warms up: the code of every request is compiled, and the latencies of this machine without an
  // attack are known.
  for (let i = 0; isTimed && i < 300; i += 1) await ask('GET', '/shelves?limit=1')
  await ask('GET', '/openapi.json')
  probe.send('forget')
  if (isTimed) await pause(1000)
  const usual = Math.max(...(await told('tell')).map(({ msMax }) => msMax))

  async function attacked(attack: () => Promise<void>): Promise<readonly Probed[]> {
    probe.send('forget')
    const before = megabytesOf(pid)
    let peak = before
    const look = setInterval(() => {
      if (server.child.exitCode === null) peak = Math.max(peak, megabytesOf(pid))
    }, 50)
    try {
      await attack()
    } finally {
      clearInterval(look)
    }
    assert.equal(server.child.exitCode, null, `the process lives\n${server.stderr()}`)
    const probed = await told('tell')
    if (process.env.ATTACK_REPORT) console.log(JSON.stringify({ usual, before, peak, probed }))
    for (const { what, count, wrong } of probed)
      assert.deepEqual(
        wrong.filter((one) => isTimed || what === '/livez' || one !== busy),
        [],
        `${what}, asked ${count} times`,
      )
    if (isTimed) assert.ok(peak - before < grownMegabytesMax, `grew by ${Math.round(peak - before)} MB`)
    return probed
  }

  return {
    server,
    url,
    ask,
    async survives(attack) {
      // A machine that stands still keeps others waiting without an attack, but not each time.
      for (let tries = 1; ; tries += 1) {
        const late = (await attacked(attack)).filter(({ msMax }) => isTimed && msMax >= answeredWithinMs)
        if (late.length === 0) return
        const said = late.map(({ what, msMax }) => `${what}: ${msMax} ms`).join(', ')
        assert.ok(tries < 4, `${said}, without an attack ${usual} ms`)
      }
    },
    async stop() {
      probe.kill('SIGKILL')
      server.child.kill('SIGKILL')
      await server.ended
    },
  }
}

/** Opens many connections, some at a time, and sends on each what `text` says. */
export async function openMany(url: string, count: number, text: (i: number) => string): Promise<Wire[]> {
  const wires: Wire[] = []
  while (wires.length < count) {
    const some = Array.from({ length: Math.min(100, count - wires.length) }, (_, i) => i + wires.length)
    const opened = await Promise.all(some.map(() => openWire(url)))
    for (const [i, wire] of opened.entries()) wire.send(text(some[i] as number))
    wires.push(...opened)
  }
  return wires
}

export function endAll(wires: readonly Wire[]): void {
  for (const wire of wires) wire.end()
}
