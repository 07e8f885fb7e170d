/** The screen of `bindery top` fits into the terminal at any width. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printScreen } from '../../src/cli/terminal/top-screen.ts'
import type { Status, StatusPoint } from '../../src/observe/status.ts'

const now: StatusPoint = {
  at: '2026-11-22T17:20:38.272Z',
  requests: 1234.5,
  errors: 12.5,
  refused: 1000.1,
  p50: 123.4,
  p95: 1234.5,
  p99: 12_345.6,
  loop: 1234.5,
  cpu: 12.345,
  memory: 1.234e9,
  connections: 12_345,
  writes: 1234.5,
}
const names = ['connections', 'requests-in-work', 'unread-answers', 'request-bodies', 'requests-held']
const status: Status = {
  at: now.at,
  version: '0.1.0',
  node: '26.10.0',
  workers: 12,
  uptimeSeconds: 987_654,
  now,
  routes: [
    { method: 'GET', route: '/api/v1/products', requests: 0.033, errors: 0, mean: 1.3, p95: 5.6 },
    { method: 'GET', route: `/api/v1/${'very-'.repeat(20)}long`, requests: 1234.5, errors: 1, mean: 1.3, p95: 5.6 },
  ],
  budgets: names.map((name) => ({ name, used: 50, limit: 100 })),
  refusals: { overload: 12_345, connections: 6, 'rate-limit': 123_456, 'log-in-throttle': 12 },
  logInFailures: 123_456,
  kept: { found: 9, renewed: 0, missed: 1 },
  database: {
    bytes: { data: 1.234e12, log: 123e6 },
    pool: { used: 120, idle: 1, waiting: 1000 },
    lagSeconds: 12.345,
    slowStatements: 1234,
  },
  backupAgeSeconds: 98_765,
  diskFreeBytes: 123e9,
  mailsWaiting: 1234,
  series: Array.from({ length: 150 }, () => now),
}

for (const columns of [60, 80, 132])
  test(`nothing is cut off at ${columns} columns`, () => {
    const screen = printScreen(status, { columns, rows: 60 })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal does not show
    const lines = screen.replace(/\u001b\[\d*[A-Za-z]/g, '').split('\n')
    for (const line of lines) assert.ok(line.length <= columns, line)
    const all = lines.join(' ').replace(/\s+/g, ' ')
    const said = [
      ...names,
      ...Object.keys(status.refusals),
      'up 11 d 10 h, 12 workers',
      'half in 123 ms, 95 % in 1.2 s, 99 % in 12.3 s',
      'event loop 1.2 s late',
      '123.0 GB free',
      '120 used, 1 idle, 1,000 wait',
      '12.3 s behind',
      'slow statements 1,234',
      'mails that wait 1,234',
      'in the last 30 s',
      'GET /api/v1/products < 0.1 0 1.3 ms 5.6 ms',
    ]
    for (const words of said) assert.ok(all.includes(words), `${words} is not in\n${lines.join('\n')}`)
    // A route that is too long loses its own end, never its numbers
    assert.match(all, /GET \/api\/v1\/very-\S*… 1,235 1 1\.3 ms 5\.6 ms/)
  })
