/** Log lines on a pipe: complete, in order, and bounded in memory while no process reads. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const source = pathToFileURL(`${import.meta.dirname}/../../src/http/logs/log-writer.ts`).href
type Writing = {
  readonly name?: string
  readonly count: number
  readonly characters: number
  readonly isAlone?: boolean
}
/** Writes so many lines of so many characters, and says on stderr how much memory it took. */
const program = ({ name = 'a', count, characters, isAlone = false }: Writing) => `
  import { makeLogWriter } from '${source}'
  const lines = makeLogWriter({ isAlone: ${isAlone} })
  for (let n = 0; n < ${count}; n += 1) {
    lines.write(JSON.stringify({ name: '${name}', n, padding: 'ü'.repeat(${characters}) }) + '\\n')
    if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  process.stderr.write(process.memoryUsage().external + '\\n')
  await lines.flush()`

const nodeArguments = (code: string) => ['--input-type=module', '-e', code]
const parsed = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name?: string; n?: number; msg?: string })

const stdoutOf = (child: ChildProcess) => child.stdout as NodeJS.ReadableStream

/**
 * Until so many programs have said on stderr that they have written all, of which the pipe holds a
 * small part: it is full then.
 */
async function untilFull({ stderr }: ChildProcess, programs = 1): Promise<void> {
  let said = ''
  for await (const text of (stderr as NodeJS.ReadableStream).setEncoding('utf8')) {
    said += text
    if (said.split('\n').length > programs) return
  }
  assert.fail(`a program ended before: ${said}`)
}

test('processes that share a pipe write whole lines, also where it is full, and each in its order', async () => {
  const programs = ['a', 'b', 'c'].map((name) => program({ name, count: 6_000, characters: 100 }))
  const quoted = programs.map((_, i) => `"$0" --input-type=module -e "$${i + 1}" &`).join(' ')
  const child = spawn('sh', ['-c', `${quoted} wait`, process.execPath, ...programs], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await untilFull(child, programs.length)
  const lines = parsed(await text(stdoutOf(child)))
  for (const name of ['a', 'b', 'c']) {
    const numbers = lines.filter((line) => line.name === name).map(({ n }) => n)
    assert.deepEqual(
      numbers,
      Array.from({ length: 6_000 }, (_, n) => n),
    )
  }
})

test('a process that writes alone writes each line once and in its order, also where the pipe is full', async () => {
  const count = 12_000
  const code = program({ count, characters: 100, isAlone: true })
  const child = spawn(process.execPath, nodeArguments(code), { stdio: ['ignore', 'pipe', 'pipe'] })
  await untilFull(child)
  const numbers = parsed(await text(stdoutOf(child))).map(({ n }) => n)
  assert.deepEqual(
    numbers,
    Array.from({ length: count }, (_, n) => n),
  )
})

test('lines that are longer than what is gathered come whole, and between those before and after them', async () => {
  const code = `
    import { makeLogWriter } from '${source}'
    const lines = makeLogWriter({ isAlone: true })
    for (let n = 0; n < 300; n += 1) {
      lines.write(JSON.stringify({ n, padding: 'ü'.repeat(n % 3 === 0 ? 30_000 : 10) }) + '\\n')
    }
    process.stderr.write('all\\n')
    await lines.flush()`
  const child = spawn(process.execPath, nodeArguments(code), { stdio: ['ignore', 'pipe', 'pipe'] })
  await untilFull(child)
  const lines = parsed(await text(stdoutOf(child))) as { n: number; padding: string }[]
  assert.deepEqual(
    lines.map(({ n, padding }) => [n, padding.length]),
    Array.from({ length: 300 }, (_, n) => [n, n % 3 === 0 ? 30_000 : 10]),
  )
})

test('where nobody reads, a few lines at a time hold no more memory than they need', async (t) => {
  const code = `
    import { makeLogWriter } from '${source}'
    const lines = makeLogWriter({ isAlone: true })
    for (let n = 0; n < 3_000; n += 1) {
      lines.write(JSON.stringify({ n, padding: 'x'.repeat(100) }) + '\\n')
      void lines.flush()
    }
    const { arrayBuffers } = process.memoryUsage()
    process.stderr.write(String(arrayBuffers))`
  const child = spawn(process.execPath, nodeArguments(code), { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill())
  const [held] = await once(child.stderr as NodeJS.ReadableStream, 'data')
  assert.ok(Number(String(held)) < 8_000_000, `${held}`)
  assert.equal(parsed(await text(stdoutOf(child))).length, 3_000)
})

for (const isAlone of [true, false])
  test(`where nobody reads, memory is bounded, and a line says how many are lost; alone: ${isAlone}`, async (t) => {
    const count = 60_000
    const code = program({ count, characters: 200, isAlone })
    const child = spawn(process.execPath, nodeArguments(code), { stdio: ['ignore', 'pipe', 'pipe'] })
    t.after(() => child.kill())
    // when all lines are written
    const [external] = await once(child.stderr as NodeJS.ReadableStream, 'data')
    assert.ok(Number(String(external)) < 24_000_000, `${external}`)
    const lines = parsed(await text(stdoutOf(child)))
    const kept = lines.filter(({ name }) => name === 'a')
    const lost = lines.map(({ msg = '' }) => Number(/^(\d+) lines of the log are lost/.exec(msg)?.[1] ?? 0))
    assert.ok(kept.length < count)
    assert.equal(kept.length + lost.reduce((sum, one) => sum + one, 0), count)
  })
