/**
 * A type check that was running when a file changed reports nothing: it may have read a
 * half-written file.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { startDevServer } from '../../src/develop/dev-server.ts'

/**
 * A fake compiler that reads a file repeatedly and ends when the file is empty. A real compiler
 * does that when it reads during a write.
 */
const compiler = `
const { readFileSync, writeFileSync } = require('node:fs')
const untilMs = Date.now() + 240_000
if (readFileSync('cups.ts', 'utf8') === 'changed') process.exit(0)
writeFileSync('started', '')
while (Date.now() < untilMs) {
  if (readFileSync('cups.ts', 'utf8') !== '') continue
  console.log('cups.ts(1,1): error TS2306: it is no module')
  process.exit(2)
}
`
const program = `process.on('message', () => process.send({ address: 'http://here' }))`

test('is not told what a file was like while it was written', async (t) => {
  const folder = temporaryFolder()
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'node_modules/typescript'), { recursive: true })
  write('node_modules/typescript/package.json', JSON.stringify({ version: '1', bin: { tsc: 'tsc.cjs' } }))
  write('node_modules/typescript/tsc.cjs', compiler)
  for (const name of ['package.json', 'tsconfig.json']) write(name, '{}')
  write('cups.ts', 'first')
  write('serve.cjs', program)
  const said: string[] = []
  const until = async (line: RegExp, times = 1) => {
    for (let tries = 0; tries < 4_800 && said.filter((one) => line.test(one)).length < times; tries += 1)
      await sleep(50)
    assert.equal(said.filter((one) => line.test(one)).length, times, said.join('\n'))
  }
  const developing = startDevServer({
    folder,
    ignored: [],
    command: [process.execPath, 'serve.cjs'],
    say: (line) => void said.push(line),
    settleLosses: async () => false,
    clearTypes: (found) => found,
  })
  t.after(async () => {
    await developing.stop()
    removeFolder(folder)
  })
  await until(/Served after/)
  while (!existsSync(join(folder, 'started'))) await sleep(5)
  write('cups.ts', '')
  await sleep(20) // less than it takes until a file counts as settled
  write('cups.ts', 'changed')
  await until(/Served after/, 2)
  await until(/^Types: no mistakes/)
  assert.deepEqual(
    said.filter((line) => /TS2306|1 mistake/.test(line)),
    [],
  )
})
