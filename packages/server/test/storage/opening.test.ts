/** Two or more processes open a file that does not exist yet, at the same moment. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { removeFolder, temporaryFolder } from 'bindery-server/test'

const openers = 6
const rounds = 10
const module = new URL('../../src/storage/sqlite/connection.ts', import.meta.url).href

/** Each process waits until all are running, so that their first statements collide. */
const source = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.module).then(({ openConnection }) => {
    const here = new Int32Array(workerData.barrier)
    for (const [round, path] of workerData.paths.entries()) {
      Atomics.add(here, round, 1)
      while (Atomics.load(here, round) < workerData.openers) {}
      try {
        openConnection(path, { readOnly: false, make: true }).database.close()
      } catch (error) {
        parentPort.postMessage(error.message)
      }
    }
  })`

it('every process can open it', async () => {
  const folder = temporaryFolder()
  const paths = Array.from({ length: rounds }, (_, i) => join(folder, `${i}.db`))
  const workerData = { module, barrier: new SharedArrayBuffer(4 * rounds), paths, openers }
  const problems: string[] = []
  const opened = Array.from({ length: openers }, () => {
    const worker = new Worker(source, { eval: true, workerData })
    worker.on('message', (message: string) => problems.push(message))
    return new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject))
  })
  await Promise.all(opened)
  removeFolder(folder)
  assert.deepEqual(problems, [])
})
