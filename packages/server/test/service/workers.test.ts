/** `WORKERS`: the line that announces the server appears after all workers serve. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawnServer } from '../../src/testing/index.ts'

test('a worker that ends before it serves is replaced, and the service is ready with all of them', async (t) => {
  const command = ['late-worker-main.ts'] as const
  const server = spawnServer({ command, cwd: import.meta.dirname, env: { WORKERS: '2', LOG_LEVEL: 'info' } })
  t.after(() => server.child.kill('SIGKILL'))
  const url = await server.ready()
  assert.match(server.stdout(), /Worker \d+ ended with 1, starting another/)
  assert.match(server.stdout(), /is ready on \S+ with 2 workers/)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  await server.stop()
})
